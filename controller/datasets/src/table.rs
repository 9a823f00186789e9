//! Writes the rows of an episode as a Parquet file ([`Table`]).

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use parquet::basic::{Compression, ConvertedType, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{DataType, FloatType, Int64Type};
use parquet::errors::{ParquetError, Result};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{Type, TypePtr};

use crate::DatasetError;
use crate::rows::Rows;

/// The columns of an episode, in LeRobot's order.
#[derive(Debug)]
pub struct Table<'a> {
    /// Number of rows, at least one.
    pub rows: usize,
    /// Names and values.
    pub columns: Vec<(&'static str, Column<'a>)>,
}

/// The values of one column.
#[derive(Debug)]
pub enum Column<'a> {
    /// A list of `width` numbers per row.
    Lists {
        /// Numbers per row, at least one.
        width: usize,
        /// All lists, one after the other.
        values: &'a [f32],
    },
    /// A number per row.
    Floats(Vec<f32>),
    /// An integer per row.
    Integers(Vec<i64>),
}

/// Position of an episode in its dataset.
#[derive(Clone, Copy, Debug)]
pub struct Standing {
    /// Index of the episode.
    pub episode: usize,
    /// Number of rows before it.
    pub before: usize,
    /// Index of its task.
    pub task: usize,
}

impl<'a> Table<'a> {
    /// Creates the table of an episode: angles in radians, times in seconds from its beginning.
    // An episode has fewer than 2^20 rows, a dataset far fewer than 2^53.
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_possible_wrap)]
    pub fn new(rows: &'a Rows, motors: usize, fps: u32, standing: Standing) -> Table<'a> {
        let Standing { episode, before, task } = standing;
        let times = (0..rows.count).map(|row| (row as f64 / f64::from(fps)) as f32).collect();
        let always = |value: usize| Column::Integers(vec![value as i64; rows.count]);
        let count_from =
            |first: usize| Column::Integers((0..rows.count).map(|row| (first + row) as i64).collect());
        let columns = vec![
            ("action", Column::Lists { width: motors, values: &rows.action }),
            ("observation.state", Column::Lists { width: motors, values: &rows.state }),
            ("timestamp", Column::Floats(times)),
            ("frame_index", count_from(0)),
            ("episode_index", always(episode)),
            ("index", count_from(before)),
            ("task_index", always(task)),
        ];
        Table { rows: rows.count, columns }
    }

    /// Writes it into a new file.
    ///
    /// # Errors
    ///
    /// Returns an error when that fails.
    pub fn write(&self, to: &Path) -> std::result::Result<(), DatasetError> {
        let file = File::create_new(to).map_err(|source| DatasetError::Output { path: to.into(), source })?;
        self.encode(file).map_err(|source| DatasetError::Table { path: to.into(), source })
    }

    fn encode(&self, file: File) -> Result<()> {
        let columns: Result<Vec<TypePtr>> =
            self.columns.iter().map(|(name, column)| column.kind(name)).collect();
        let schema = Type::group_type_builder("schema").with_fields(columns?).build()?;
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let mut writer = SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties))?;
        let mut group = writer.next_row_group()?;
        for (_, column) in &self.columns {
            match column {
                Column::Lists { width, values } => {
                    // The first number of a list begins a row, and the others continue it.
                    let levels: Vec<i16> = (0..values.len()).map(|at| i16::from(at % width != 0)).collect();
                    write_column::<FloatType, _>(&mut group, values, &vec![3; values.len()], Some(&levels))?;
                }
                Column::Floats(values) => {
                    write_column::<FloatType, _>(&mut group, values, &vec![1; values.len()], None)?
                }
                Column::Integers(values) => {
                    write_column::<Int64Type, _>(&mut group, values, &vec![1; values.len()], None)?
                }
            }
        }
        group.close()?;
        writer.close()?;
        Ok(())
    }
}

impl Column<'_> {
    /// Returns its Parquet type. As with LeRobot's own writer every value is optional, although none is missing.
    fn kind(&self, name: &str) -> Result<TypePtr> {
        let plain = |name: &str, physical| {
            Type::primitive_type_builder(name, physical)
                .with_repetition(Repetition::OPTIONAL)
                .build()
                .map(Arc::new)
        };
        match self {
            Column::Floats(_) => plain(name, Physical::FLOAT),
            Column::Integers(_) => plain(name, Physical::INT64),
            Column::Lists { .. } => {
                let list = Type::group_type_builder("list")
                    .with_repetition(Repetition::REPEATED)
                    .with_fields(vec![plain("element", Physical::FLOAT)?]);
                Type::group_type_builder(name)
                    .with_repetition(Repetition::OPTIONAL)
                    .with_logical_type(Some(LogicalType::List))
                    .with_converted_type(ConvertedType::LIST)
                    .with_fields(vec![Arc::new(list.build()?)])
                    .build()
                    .map(Arc::new)
            }
        }
    }
}

/// Writes the next column: its values with their definition and repetition levels.
fn write_column<D: DataType, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    values: &[D::T],
    definition_levels: &[i16],
    repetition_levels: Option<&[i16]>,
) -> Result<()> {
    let Some(mut column) = group.next_column()? else {
        return Err(ParquetError::General("more columns than in the schema".into()));
    };
    column.typed::<D>().write_batch(values, Some(definition_levels), repetition_levels)?;
    column.close()
}
