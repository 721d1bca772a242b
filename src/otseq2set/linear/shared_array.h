// An array that never changes and is owned somewhere: by a vector, or by a file in memory. Copies share it.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace otseq2set::inline linear {

template <typename T>
class SharedArray {
 public:
  SharedArray() = default;
  SharedArray(std::vector<T> values) {
    const auto owner = std::make_shared<const std::vector<T>>(std::move(values));
    data_ = owner->data();
    size_ = owner->size();
    owner_ = owner;
  }
  // Values that `owner` keeps alive.
  SharedArray(const T* data, size_t size, std::shared_ptr<const void> owner)
      : data_(data), size_(size), owner_(std::move(owner)) {}

  SharedArray first(size_t count) const { return {data_, count, owner_}; }

  const T* data() const { return data_; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const T& operator[](size_t i) const { return data_[i]; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }

 private:
  const T* data_ = nullptr;
  size_t size_ = 0;
  std::shared_ptr<const void> owner_;
};

}  // namespace otseq2set::inline linear
