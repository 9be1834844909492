"""The hidden Markov model of the HMM crawlers (Batsakis et al. 2009)."""
