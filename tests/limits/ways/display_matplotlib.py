# Figures of matplotlib's, large ones, where it is.
# limit: displays
# forms: full
# options: --allow matplotlib --memory 256MB
try:
    import matplotlib.pyplot as plt
    for i in range(4):
        plt.figure(figsize=(20, 20))
        plt.plot(range(3000))
except ImportError as error:
    print(error)
