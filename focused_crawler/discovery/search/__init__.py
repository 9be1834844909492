"""Search providers: one contract over crawls, recorded webs and live engines."""
