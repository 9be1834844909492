"""Words, stems, frequencies, weights and similarities of texts."""
