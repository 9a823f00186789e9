//! Solves six linear equations in six unknowns, by elimination with partial pivoting.

/// A 6x6 matrix, as rows.
pub(super) type Matrix = [[f64; 6]; 6];

/// Returns the transposed matrix.
pub(super) fn transposed(matrix: &Matrix) -> Matrix {
    let mut turned = [[0.0; 6]; 6];
    for (column, row) in matrix.iter().enumerate() {
        for (turned, value) in turned.iter_mut().zip(row) {
            if let Some(position) = turned.get_mut(column) {
                *position = *value;
            }
        }
    }
    turned
}

/// A factorised matrix, so that equations with it are solved by substitution.
#[derive(Clone, Copy, Debug)]
pub(super) struct Factors {
    /// The upper triangle after elimination; below it the multipliers.
    rows: Matrix,
    /// The inverse of each pivot.
    inverses: [f64; 6],
    /// The original index of each row.
    order: [usize; 6],
}

// The compiler unrolls loops over constant index ranges; every index is within 0..6.
#[allow(clippy::indexing_slicing, clippy::needless_range_loop, reason = "indices run over 0..6")]
impl Factors {
    /// Factorises a matrix. Returns `None` if its rows are linearly dependent or contain a number that is not finite.
    #[inline]
    pub fn of(rows: Matrix) -> Option<Factors> {
        let mut factors = Factors { rows, inverses: [0.0; 6], order: [0, 1, 2, 3, 4, 5] };
        factors.eliminate::<0>();
        factors.eliminate::<1>();
        factors.eliminate::<2>();
        factors.eliminate::<3>();
        factors.eliminate::<4>();
        factors.eliminate::<5>();
        factors.inverses.iter().all(|inverse| inverse.is_finite()).then_some(factors)
    }

    /// Eliminates one unknown from the rows below. The column is a constant so that the compiler unrolls the loops.
    #[inline]
    fn eliminate<const COLUMN: usize>(&mut self) {
        let rows = &mut self.rows;
        let (mut pivot, mut most) = (COLUMN, rows[COLUMN][COLUMN].abs());
        for row in COLUMN + 1..6 {
            let size = rows[row][COLUMN].abs();
            if size > most {
                (pivot, most) = (row, size);
            }
        }
        let (upper, displaced) = (rows[pivot], rows[COLUMN]);
        rows[pivot] = displaced;
        rows[COLUMN] = upper;
        self.order.swap(COLUMN, pivot);
        let inverse = upper[COLUMN].recip();
        self.inverses[COLUMN] = inverse;
        for row in COLUMN + 1..6 {
            let factor = rows[row][COLUMN] * inverse;
            for position in COLUMN + 1..6 {
                rows[row][position] -= factor * upper[position];
            }
            rows[row][COLUMN] = factor;
        }
    }

    /// Returns the unknowns for these right-hand sides.
    pub fn solve(&self, sides: &[f64; 6]) -> [f64; 6] {
        let mut unknowns = [0.0; 6];
        for (unknown, row) in unknowns.iter_mut().zip(self.order) {
            *unknown = sides[row];
        }
        for row in 1..6 {
            for column in 0..row {
                unknowns[row] -= self.rows[row][column] * unknowns[column];
            }
        }
        for row in (0..6).rev() {
            for column in row + 1..6 {
                unknowns[row] -= self.rows[row][column] * unknowns[column];
            }
            unknowns[row] *= self.inverses[row];
        }
        unknowns
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{Matrix6, Vector6};

    use super::*;

    #[test]
    fn solutions_match_another_solver() {
        let mut entry = 1.0_f64;
        for round in 0..200 {
            // Arbitrary values between -1 and 1; sometimes a zero first pivot and tiny ones.
            let mut rows = [[0.0; 6]; 6];
            for value in rows.iter_mut().flatten() {
                entry = (entry * 997.31 + 0.77).sin();
                *value = entry;
            }
            if round % 3 == 0 {
                rows[0][0] = 0.0;
                rows[2][2] = 1e-30;
            }
            let sides = rows[round % 6].map(|value| value * 2.0 - 0.1);
            let known = Matrix6::from_fn(|row, column| rows[row][column]).full_piv_lu();
            let known = known.solve(&Vector6::from(sides)).unwrap();
            let found = Vector6::from(Factors::of(rows).unwrap().solve(&sides));
            assert!((found - known).amax() < 1e-9 * known.amax().max(1.0), "{found} and {known}");
            let back = transposed(&transposed(&rows));
            assert_eq!((back, transposed(&rows)[4][1]), (rows, rows[1][4]));
        }
    }

    #[test]
    fn singular_and_non_finite_matrices_are_rejected() {
        for bad in [[[1.0; 6]; 6], [[0.0; 6]; 6], [[f64::NAN; 6]; 6], [[f64::INFINITY; 6]; 6]] {
            assert!(Factors::of(bad).is_none());
        }
    }
}
