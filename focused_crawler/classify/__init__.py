"""Page classifiers, calibration, training and the model of a topic."""
