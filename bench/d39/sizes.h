// What sums' coordinates are below, by cuda/ff/d39.md.
#pragma once

/// In p: the coordinates of a sum, those of a point, and the factors for which d39.md has bounds of single operations.
constexpr double X_BELOW = 2.2, Y_BELOW = 1.9, ZZ_BELOW = 2, POINT_UP_TO = 64, FACTOR_BELOW = 4;
