//! The allow-lists of scipy and OpenCV, which a tool may import where they are installed.
//!
//! Beside what the other lists exclude, the lists exclude:
//!
//! * cameras, windows and files (`cv2.VideoCapture`, `cv2.imread`, `scipy.io`): guests have none, and the robot's camera is
//!   `ReachyMini.media`;
//! * neural networks and classes that read and write themselves (`cv2.dnn`, whatever is a `cv2.Algorithm`);
//! * random numbers that do not follow the seed, and worker processes (`cv2.kmeans`,
//!   `scipy.optimize.differential_evolution`).

/// The packages that these modules belong to.
pub(super) const PACKAGES: &[&str] = &["cv2", "scipy"];

/// The modules, each with its permitted public names, separated by spaces.
pub(super) const MODULES: &[(&str, &str)] = &[
    (
        "cv2",
        "absdiff accumulate accumulateWeighted ADAPTIVE_THRESH_GAUSSIAN_C ADAPTIVE_THRESH_MEAN_C \
                adaptiveThreshold add addWeighted applyColorMap approxPolyDP arcLength arrowedLine bilateralFilter \
                bitwise_and bitwise_not bitwise_or bitwise_xor blur BORDER_CONSTANT BORDER_DEFAULT BORDER_ISOLATED \
                BORDER_REFLECT BORDER_REFLECT101 BORDER_REFLECT_101 BORDER_REPLICATE BORDER_TRANSPARENT BORDER_WRAP \
                boundingRect boxFilter boxPoints calcBackProject calcHist calcOpticalFlowFarneback \
                calcOpticalFlowPyrLK CamShift Canny cartToPolar CC_STAT_AREA CC_STAT_HEIGHT CC_STAT_LEFT CC_STAT_MAX \
                CC_STAT_TOP CC_STAT_WIDTH CHAIN_APPROX_NONE CHAIN_APPROX_SIMPLE CHAIN_APPROX_TC89_KCOS \
                CHAIN_APPROX_TC89_L1 circle clipLine CMP_EQ CMP_GE CMP_GT CMP_LE CMP_LT CMP_NE COLOR_BGR2BGRA \
                COLOR_BGR2GRAY COLOR_BGR2HLS COLOR_BGR2HSV COLOR_BGR2HSV_FULL COLOR_BGR2LAB COLOR_BGR2Lab \
                COLOR_BGR2LUV COLOR_BGR2Luv COLOR_BGR2RGB COLOR_BGR2RGBA COLOR_BGR2XYZ COLOR_BGR2YCrCb COLOR_BGR2YUV \
                COLOR_BGRA2BGR COLOR_BGRA2GRAY COLOR_BGRA2RGB COLOR_BGRA2RGBA COLOR_GRAY2BGR COLOR_GRAY2BGRA \
                COLOR_GRAY2RGB COLOR_GRAY2RGBA COLOR_HLS2BGR COLOR_HLS2RGB COLOR_HSV2BGR COLOR_HSV2RGB COLOR_LAB2BGR \
                COLOR_Lab2BGR COLOR_LAB2RGB COLOR_Lab2RGB COLOR_LUV2BGR COLOR_Luv2BGR COLOR_LUV2RGB COLOR_Luv2RGB \
                COLOR_RGB2BGR COLOR_RGB2BGRA COLOR_RGB2GRAY COLOR_RGB2HLS COLOR_RGB2HSV COLOR_RGB2HSV_FULL \
                COLOR_RGB2LAB COLOR_RGB2Lab COLOR_RGB2LUV COLOR_RGB2Luv COLOR_RGB2RGBA COLOR_RGB2XYZ COLOR_RGB2YCrCb \
                COLOR_RGB2YUV COLOR_RGBA2BGR COLOR_RGBA2BGRA COLOR_RGBA2GRAY COLOR_RGBA2RGB COLOR_XYZ2BGR \
                COLOR_XYZ2RGB COLOR_YCrCb2BGR COLOR_YCrCb2RGB COLOR_YUV2BGR COLOR_YUV2RGB COLORMAP_AUTUMN \
                COLORMAP_BONE COLORMAP_CIVIDIS COLORMAP_COOL COLORMAP_DEEPGREEN COLORMAP_HOT COLORMAP_HSV \
                COLORMAP_INFERNO COLORMAP_JET COLORMAP_MAGMA COLORMAP_OCEAN COLORMAP_PARULA COLORMAP_PINK \
                COLORMAP_PLASMA COLORMAP_RAINBOW COLORMAP_SPRING COLORMAP_SUMMER COLORMAP_TURBO COLORMAP_TWILIGHT \
                COLORMAP_TWILIGHT_SHIFTED COLORMAP_VIRIDIS COLORMAP_WINTER compare compareHist connectedComponents \
                connectedComponentsWithStats contourArea CONTOURS_MATCH_I1 CONTOURS_MATCH_I2 CONTOURS_MATCH_I3 \
                convertScaleAbs convexHull convexityDefects copyMakeBorder cornerHarris cornerSubPix countNonZero \
                CV_16S CV_16SC CV_32F CV_32FC CV_32S CV_32SC CV_64F CV_64FC CV_8U CV_8UC cvtColor dilate DIST_C \
                DIST_FAIR DIST_HUBER DIST_L1 DIST_L12 DIST_L2 DIST_LABEL_CCOMP DIST_LABEL_PIXEL DIST_MASK_3 \
                DIST_MASK_5 DIST_MASK_PRECISE DIST_USER DIST_WELSCH distanceTransform divide drawContours drawMarker \
                ellipse equalizeHist erode estimateAffine2D estimateAffinePartial2D fastAtan2 fillConvexPoly FILLED \
                fillPoly filter2D findContours findHomography findNonZero fitEllipse fitLine flip floodFill \
                FONT_HERSHEY_COMPLEX FONT_HERSHEY_COMPLEX_SMALL FONT_HERSHEY_DUPLEX FONT_HERSHEY_PLAIN \
                FONT_HERSHEY_SCRIPT_COMPLEX FONT_HERSHEY_SCRIPT_SIMPLEX FONT_HERSHEY_SIMPLEX FONT_HERSHEY_TRIPLEX \
                GaussianBlur getAffineTransform getGaussianKernel getPerspectiveTransform getRectSubPix \
                getRotationMatrix2D getStructuringElement getTextSize goodFeaturesToTrack hconcat \
                HISTCMP_BHATTACHARYYA HISTCMP_CHISQR HISTCMP_CHISQR_ALT HISTCMP_CORREL HISTCMP_HELLINGER \
                HISTCMP_INTERSECT HISTCMP_KL_DIV HOUGH_GRADIENT HOUGH_GRADIENT_ALT HOUGH_MULTI_SCALE \
                HOUGH_PROBABILISTIC HOUGH_STANDARD HoughCircles HoughLines HoughLinesP HuMoments inRange integral \
                INTER_AREA INTER_BITS INTER_BITS2 INTER_CUBIC INTER_LANCZOS4 INTER_LINEAR INTER_LINEAR_EXACT \
                INTER_MAX INTER_NEAREST INTER_NEAREST_EXACT INTER_TAB_SIZE INTER_TAB_SIZE2 invertAffineTransform \
                isContourConvex Laplacian line LINE_4 LINE_8 LINE_AA magnitude MARKER_CROSS MARKER_DIAMOND \
                MARKER_SQUARE MARKER_STAR MARKER_TILTED_CROSS MARKER_TRIANGLE_DOWN MARKER_TRIANGLE_UP matchShapes \
                matchTemplate max mean meanShift meanStdDev medianBlur merge min minAreaRect minEnclosingCircle \
                minMaxLoc moments MORPH_BLACKHAT MORPH_CLOSE MORPH_CROSS MORPH_DIAMOND MORPH_DILATE MORPH_ELLIPSE \
                MORPH_ERODE MORPH_GRADIENT MORPH_HITMISS MORPH_OPEN MORPH_RECT MORPH_TOPHAT morphologyEx multiply \
                norm NORM_HAMMING NORM_HAMMING2 NORM_INF NORM_L1 NORM_L2 NORM_L2SQR NORM_MINMAX NORM_RELATIVE \
                NORM_TYPE_MASK normalize perspectiveTransform phase phaseCorrelate pointPolygonTest polarToCart \
                polylines projectPoints putText pyrDown pyrUp rectangle reduce REDUCE_AVG REDUCE_MAX REDUCE_MIN \
                REDUCE_SUM REDUCE_SUM2 remap repeat resize RETR_CCOMP RETR_EXTERNAL RETR_FLOODFILL RETR_LIST \
                RETR_TREE Rodrigues rotate ROTATE_180 ROTATE_90_CLOCKWISE ROTATE_90_COUNTERCLOCKWISE Scharr \
                sepFilter2D Sobel solvePnP SOLVEPNP_ITERATIVE split sqrt subtract sumElems TERM_CRITERIA_COUNT \
                TERM_CRITERIA_EPS TERM_CRITERIA_MAX_ITER THRESH_BINARY THRESH_BINARY_INV THRESH_DRYRUN THRESH_MASK \
                THRESH_OTSU THRESH_TOZERO THRESH_TOZERO_INV THRESH_TRIANGLE THRESH_TRUNC threshold TM_CCOEFF \
                TM_CCOEFF_NORMED TM_CCORR TM_CCORR_NORMED TM_SQDIFF TM_SQDIFF_NORMED transform transpose undistort \
                undistortPoints vconcat WARP_FILL_OUTLIERS WARP_INVERSE_MAP WARP_POLAR_LINEAR WARP_POLAR_LOG \
                WARP_RELATIVE_MAP warpAffine warpPerspective watershed",
    ),
    ("scipy", ""),
    (
        "scipy.interpolate",
        "Akima1DInterpolator BSpline CubicHermiteSpline CubicSpline InterpolatedUnivariateSpline PPoly \
                PchipInterpolator RBFInterpolator RegularGridInterpolator UnivariateSpline griddata interp1d interpn \
                make_interp_spline make_lsq_spline make_smoothing_spline pchip_interpolate splev splprep splrep",
    ),
    (
        "scipy.ndimage",
        "affine_transform binary_closing binary_dilation binary_erosion binary_fill_holes binary_opening \
                center_of_mass convolve convolve1d correlate correlate1d distance_transform_edt find_objects \
                gaussian_filter gaussian_filter1d gaussian_gradient_magnitude gaussian_laplace grey_closing \
                grey_dilation grey_erosion grey_opening label laplace map_coordinates maximum_filter \
                maximum_filter1d maximum_position median_filter minimum_filter minimum_filter1d percentile_filter \
                rotate shift sobel sum_labels uniform_filter uniform_filter1d zoom",
    ),
    (
        "scipy.optimize",
        "Bounds LinearConstraint NonlinearConstraint bisect brentq curve_fit fixed_point fsolve golden \
                least_squares leastsq linear_sum_assignment linprog lsq_linear minimize minimize_scalar newton nnls \
                ridder root root_scalar toms748",
    ),
    (
        "scipy.signal",
        "argrelextrema argrelmax argrelmin butter buttord cheby1 cheby2 chirp convolve convolve2d correlate \
                correlation_lags decimate detrend ellip fftconvolve filtfilt find_peaks firwin freqz gausspulse \
                get_window hilbert iirfilter iirnotch iirpeak istft lfilter lfilter_zi medfilt peak_prominences \
                peak_widths periodogram resample resample_poly savgol_coeffs savgol_filter sawtooth sosfilt \
                sosfilt_zi sosfiltfilt spectrogram square stft sweep_poly unit_impulse welch",
    ),
    ("scipy.spatial", "ConvexHull Delaunay KDTree cKDTree distance_matrix geometric_slerp procrustes"),
    (
        "scipy.spatial.distance",
        "cdist chebyshev cityblock correlation cosine euclidean mahalanobis minkowski pdist sqeuclidean \
                squareform",
    ),
    ("scipy.spatial.transform", "RigidTransform Rotation RotationSpline Slerp"),
];
