//! Head poses as 4x4 matrices `world_from_head`: row-major, metres, relative to the neutral head.

use numpy::ndarray::Array2;
use numpy::{AllowTypeChange, IntoPyArray, PyArrayLikeDyn};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Sixteen numbers, row by row.
pub type Matrix = [f64; 16];

/// Neutral head pose.
const NEUTRAL: Matrix = with_rotation([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], [0.0; 3]);

/// Half a turn about y: the official SDK returns it for a point straight behind. It is upside down and out of reach.
const OVERHEAD: Matrix = with_rotation([[-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, -1.0]], [0.0; 3]);

const fn with_rotation([a, b, c]: [[f64; 3]; 3], [x, y, z]: [f64; 3]) -> Matrix {
    [a[0], a[1], a[2], x, b[0], b[1], b[2], y, c[0], c[1], c[2], z, 0.0, 0.0, 0.0, 1.0]
}

/// Returns `Rz(yaw) Ry(pitch) Rx(roll)` at a position, in radians and metres.
pub fn from_position_and_angles(position: [f64; 3], [roll, pitch, yaw]: [f64; 3]) -> Matrix {
    let ((sr, cr), (sp, cp), (sy, cy)) = (roll.sin_cos(), pitch.sin_cos(), yaw.sin_cos());
    let rows = [
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ];
    with_rotation(rows, position)
}

/// Returns the centred head pose whose x axis points at a position, by the shortest rotation.
///
/// With the unit vector `(dx, dy, dz)` to the position, the axis is `x` cross that vector, and its length is the sine of the
/// angle. `dx` is the cosine.
pub fn looking_at([x, y, z]: [f64; 3]) -> Matrix {
    let length = x.hypot(y).hypot(z);
    if length < 1e-12 {
        return NEUTRAL;
    }
    let (dx, dy, dz) = (x / length, y / length, z / length);
    if dy.hypot(dz) < 1e-8 {
        return if dx > 0.0 { NEUTRAL } else { OVERHEAD };
    }
    // Rodrigues' formula for the axis (0, -dz, dy), without dividing by the sine.
    let k = 1.0 / (1.0 + dx);
    let rows = [[dx, -dy, -dz], [dy, dx + k * dz * dz, -k * dy * dz], [dz, -k * dy * dz, dx + k * dy * dy]];
    with_rotation(rows, [0.0; 3])
}

/// Converts it to a 4x4 numpy array.
pub fn to_numpy<'py>(py: Python<'py>, matrix: &Matrix) -> PyResult<Bound<'py, PyAny>> {
    let array = Array2::from_shape_vec((4, 4), matrix.to_vec());
    Ok(array.map_err(|error| PyValueError::new_err(error.to_string()))?.into_pyarray(py).into_any())
}

/// Returns the finite numbers and the shape of an array-like value.
pub fn numbers(value: &Bound<'_, PyAny>, what: &str) -> PyResult<(Vec<f64>, Vec<usize>)> {
    let array: PyArrayLikeDyn<'_, f64, AllowTypeChange> = value
        .extract()
        .map_err(|_| PyValueError::new_err(format!("{what} must be numbers, got {}", kind(value))))?;
    let array = array.as_array();
    if array.iter().any(|number| !number.is_finite()) {
        return Err(PyValueError::new_err(format!("{what} must be finite numbers")));
    }
    Ok((array.iter().copied().collect(), array.shape().to_vec()))
}

fn kind(value: &Bound<'_, PyAny>) -> String {
    value.get_type().name().map_or_else(|_| "an unknown type".into(), |name| name.to_string())
}

/// Returns a 4x4 matrix of finite numbers, or the shape if it differs.
pub fn matrix(head: &Bound<'_, PyAny>) -> PyResult<Result<Matrix, String>> {
    let (numbers, shape) = numbers(head, "Head pose")?;
    if shape != [4, 4] {
        let sizes: Vec<String> = shape.iter().map(ToString::to_string).collect();
        let comma = if shape.len() == 1 { "," } else { "" };
        return Ok(Err(format!("({}{comma})", sizes.join(", "))));
    }
    let matrix =
        Matrix::try_from(numbers).map_err(|_| PyValueError::new_err("Head pose must be a 4x4 matrix"))?;
    Ok(Ok(matrix))
}

/// Converts a head pose argument of `goto_target` and `set_target`.
pub fn head_pose(head: &Bound<'_, PyAny>) -> PyResult<Matrix> {
    matrix(head)?
        .map_err(|shape| PyValueError::new_err(format!("Head pose must be a 4x4 matrix, got shape {shape}.")))
}

/// Converts antenna angles, right and left.
pub fn antenna_pair(antennas: &Bound<'_, PyAny>) -> PyResult<[f64; 2]> {
    let (numbers, shape) = numbers(antennas, "Antennas")?;
    let two = <[f64; 2]>::try_from(numbers).ok().filter(|_| shape == [2]);
    two.ok_or_else(|| PyValueError::new_err("Antennas must be a list or 1D np array with two elements."))
}

/// Converts a finite angle.
pub fn yaw(body_yaw: &Bound<'_, PyAny>) -> PyResult<f64> {
    finite(body_yaw.extract().map_err(|_| PyValueError::new_err("body_yaw must be a float."))?, "body_yaw")
}

/// Returns the number if it is finite.
pub fn finite(number: f64, what: &str) -> PyResult<f64> {
    if number.is_finite() { Ok(number) } else { Err(PyValueError::new_err(format!("{what} must be finite"))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(matrix: &Matrix, v: [f64; 3]) -> [f64; 3] {
        std::array::from_fn(|row| (0..3).map(|column| matrix[4 * row + column] * v[column]).sum())
    }

    fn assert_near(a: [f64; 3], b: [f64; 3]) {
        for (a, b) in a.into_iter().zip(b) {
            assert!((a - b).abs() < 1e-12, "{a} is not {b}");
        }
    }

    #[test]
    fn looking_at_points_the_x_axis_at_the_position() {
        for position in
            [[0.5, 0.0, -0.12], [0.1, 2.0, 0.3], [-1.0, 0.01, 0.0], [-1.0, 0.0, 0.0], [3.0, 0.0, 0.0]]
        {
            let pose = looking_at(position);
            let length = position.iter().map(|v| v * v).sum::<f64>().sqrt();
            assert_near(times(&pose, [1.0, 0.0, 0.0]), position.map(|v| v / length));
            let (y, z) = (times(&pose, [0.0, 1.0, 0.0]), times(&pose, [0.0, 0.0, 1.0]));
            assert!((0..3).map(|i| y[i] * z[i]).sum::<f64>().abs() < 1e-12);
            assert!((y.iter().map(|v| v * v).sum::<f64>() - 1.0).abs() < 1e-12);
        }
        assert_eq!(looking_at([0.0; 3]), NEUTRAL);
    }

    #[test]
    fn angles_are_extrinsic_in_order_x_y_z() {
        let quarter = std::f64::consts::FRAC_PI_2;
        let pose = from_position_and_angles([1.0, 2.0, 3.0], [quarter, 0.0, quarter]);
        // The roll turns y to z, where the yaw leaves it.
        assert_near(times(&pose, [0.0, 1.0, 0.0]), [0.0, 0.0, 1.0]);
        assert_near(times(&pose, [1.0, 0.0, 0.0]), [0.0, 1.0, 0.0]);
        assert_near([pose[3], pose[7], pose[11]], [1.0, 2.0, 3.0]);
        let down = from_position_and_angles([0.0; 3], [0.0, quarter, 0.0]);
        assert_near(times(&down, [1.0, 0.0, 0.0]), [0.0, 0.0, -1.0]);
    }
}
