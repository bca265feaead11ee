// SPDX-License-Identifier: Apache-2.0
//
// Programs that the compiler has to refuse. compile.py compiles this file once without a case, which has to work. It compiles
// it once for each case, which has to fail with the text in its comment.
#include <rt_comm.hpp>
#include <vector>

void calls(const rt::Module& module, const rt::Stream& stream, const rt::Buffer<float>& y, const rt::Buffer<float>& x) {
  const auto saxpy = module.kernel<float*, const float*, float, std::uint32_t>("saxpy");
  const auto part = module.kernel<float*, rt::Local<float>>("part");
  const rt::Range range(1000);
  std::vector<float> host(1000);
  const std::vector<float> constant(1000);
  saxpy(stream, range, y, x, 2.0f, 1000u);
  part(stream, range, y, rt::Local<float>(64));
  rt::copy(host, x);
  stream.copy(y.slice(0, 10), x.slice(0, 10));
  stream.copy(rt::Span(host), x);
  const rt::Comm comm;
  comm.allReduce(y, x);
  comm.allReduce(host, rt::inPlace);
  comm.broadcast(rt::inPlace, host, 0);

#if CASE == 1  // expects: not exactly the type of the kernel's parameter
  saxpy(stream, range, y, x, 2.0, 1000u);
#elif CASE == 2   // expects: not exactly the type of the kernel's parameter
  saxpy(stream, range, y, x, 2.0f, 1000);
#elif CASE == 3   // expects: not exactly the type of the kernel's parameter
  saxpy(stream, range, y, x, 2, 1000u);
#elif CASE == 4   // expects: not exactly the type of the kernel's parameter
  saxpy(stream, range, y, x, 2.0f, std::size_t{1000});
#elif CASE == 5   // expects: not exactly the type of the kernel's parameter
  saxpy(stream, range, y, host, 2.0f, 1000u);
#elif CASE == 6   // expects: not exactly the type of the kernel's parameter
  saxpy(stream, range, rt::Buffer<double>(), x, 2.0f, 1000u);
#elif CASE == 7   // expects: not exactly the type of the kernel's parameter
  saxpy(stream, range, static_cast<const float*>(y.data()), x, 2.0f, 1000u);
#elif CASE == 8   // expects: another number of arguments
  saxpy(stream, range, y, x, 2.0f);
#elif CASE == 9   // expects: not exactly the type of the kernel's parameter
  part(stream, range, y, 256u);
#elif CASE == 10  // expects: different element types
  rt::copy(rt::Buffer<double>(), x);
#elif CASE == 11  // expects: the destination of a copy is const
  rt::copy(constant, x);
#elif CASE == 12  // expects: the host does not read or write memory of a device
  (void)x[0];
#elif CASE == 13  // expects: deleted
  rt::Stream second = stream;
#elif CASE == 14  // expects: private
  rt::Runtime runtime(rt::Device::best());
#elif CASE == 15  // expects: is not the type of the elements
  stream.fill(y, 1.0);
#elif CASE == 16  // expects: the destination of a copy is a temporary
  stream.copy(std::vector<float>(1000), x);
#elif CASE == 17  // expects: the memory to bind is a temporary
  rt::GraphExec().bind(rt::GraphBuffer(), std::vector<float>(1000));
#elif CASE == 18  // expects: the memory to register is a temporary
  rt::Registration::create(std::vector<float>(1000));
#elif CASE == 19  // expects: the memory to register is const
  rt::Registration::create(constant);
#elif CASE == 20  // expects: have different element types
  comm.allReduce(rt::Span<int>(), x);
#elif CASE == 21  // expects: memory of an operation is a temporary
  comm.allReduce(host, std::vector<float>(1000));
#elif CASE == 22  // expects: memory that receives is const
  comm.allReduce(constant, x);
#elif CASE == 23  // expects: memory that receives is const
  comm.reduceScatter(rt::inPlace, constant);
#elif CASE == 24  // expects: bool is not reduced
  comm.allReduce(rt::Span<bool>(), rt::inPlace);
#elif CASE == 25  // expects: at least one range of memory
  comm.allGather(rt::inPlace, rt::noMemory);
#elif CASE == 26  // expects: deleted
  rt::Comm second = comm;
#endif
}
