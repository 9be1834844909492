"""Why a page has its relevance and its links their scores."""
