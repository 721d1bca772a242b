// A view of consecutive values that somebody else owns: what a function returns instead of a copy of a row.
#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

namespace otseq2set::inline core {

template <typename T>
class Span {
 public:
  Span() = default;
  Span(T* data, size_t size) : data_(data), size_(size) {}
  Span(const std::vector<std::remove_const_t<T>>& values) : data_(values.data()), size_(values.size()) {}

  T* data() const { return data_; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](size_t i) const { return data_[i]; }
  T* begin() const { return data_; }
  T* end() const { return data_ + size_; }

  // The first `count` values, or all when there are fewer.
  Span first(size_t count) const { return {data_, count < size_ ? count : size_}; }

 private:
  T* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace otseq2set::inline core
