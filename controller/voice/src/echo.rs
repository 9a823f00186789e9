//! echo.
