"""The pages of a virtual web, analysed once and stored."""
