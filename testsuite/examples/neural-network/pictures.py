"""Pictures of digits, 8x8, as a hasty hand would write them."""

import numpy

SHAPES = """
.###.  ..#..  .###.  .###.  ...#.  #####  .###.  #####  .###.  .###.
#...#  .##..  #...#  #...#  ..##.  #....  #....  ....#  #...#  #...#
#..##  ..#..  ....#  ....#  .#.#.  ####.  #....  ...#.  #...#  #...#
#.#.#  ..#..  ...#.  ..##.  #..#.  ....#  ####.  ..#..  .###.  .####
##..#  ..#..  ..#..  ....#  #####  ....#  #...#  ..#..  #...#  ....#
#...#  ..#..  .#...  #...#  ...#.  #...#  #...#  ..#..  #...#  ....#
.###.  .###.  #####  .###.  ...#.  .###.  .###.  ..#..  .###.  .###.
""".strip().splitlines()


def digits(count, seed):
    """So many pictures (rows of 64 numbers), and what they show."""
    random = numpy.random.default_rng(seed)
    shown = random.integers(0, 10, count)
    pictures = random.normal(0, 0.25, (count, 8, 8))
    shapes = [
        numpy.array([[one == "#" for one in row.split()[digit]] for row in SHAPES], dtype=float) for digit in range(10)
    ]
    for picture, digit in zip(pictures, shown):
        row, column = random.integers(0, 2), random.integers(0, 4)
        picture[row : row + 7, column : column + 5] += shapes[digit] * random.uniform(0.7, 1.3)
    return pictures.reshape(count, 64).astype(numpy.float32), shown
