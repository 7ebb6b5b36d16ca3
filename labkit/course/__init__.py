"""The instructor's side: releasing labs, building the site, grading."""
