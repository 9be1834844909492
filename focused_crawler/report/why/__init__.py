"""Why a URL was fetched or not."""
