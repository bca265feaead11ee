// error: E0277
// The ranges of an operation have one type of elements.
use manyrt::comm::{CommReduction, Operation};
pub fn wrong(x: &manyrt::DeviceBuffer<f32>, y: &manyrt::DeviceBuffer<i32>) {
    let _ = Operation::all_reduce(x, y, CommReduction::SUM);
}
