"""The estimator of scikit-learn."""
