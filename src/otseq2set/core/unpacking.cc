#include "otseq2set/core/unpacking.h"

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <climits>
#include <new>
#include <utility>
#include <vector>

#include "otseq2set/core/error.h"

namespace otseq2set::inline core {

namespace {

constexpr size_t kBlock = size_t{1} << 17;
constexpr uint64_t kXzMemory = uint64_t{512} << 20;  // xz -9 needs 65 MB
constexpr int kZstdWindow = 27;                      // 128 MB, what zstd itself takes without --long

// The common part: packed bytes come in blocks, `step` turns some of them into bytes.
class Unpacking : public ByteSource {
 public:
  Unpacking(std::unique_ptr<ByteSource> packed, std::string name, const char* packing)
      : packed_(std::move(packed)), name_(std::move(name)), packing_(packing), block_(kBlock) {}
  Unpacking(const Unpacking&) = delete;
  Unpacking& operator=(const Unpacking&) = delete;

  size_t read(char* to, size_t bytes) override {
    for (;;) {
      const size_t before = left_;
      const size_t made = step(to, std::min<size_t>(bytes, INT_MAX));
      if (made > 0) return made;
      if (left_ > 0 && left_ == before) fail_damaged("it does not continue");
      if (left_ > 0) continue;
      if (ended_) break;
      next_ = block_.data();
      left_ = packed_->read(block_.data(), block_.size());
      ended_ = left_ == 0;
    }
    if (!between_) fail("{}: the {} data ends too early; is the file complete?", name_, packing_);
    return 0;
  }

 protected:
  // Takes from next_ and left_, returns how many bytes it wrote to `to`. Called with nothing left as well, to
  // get what is still held back.
  virtual size_t step(char* to, size_t bytes) = 0;

  [[noreturn]] void fail_damaged(const char* reason) const {
    fail("{}: the {} data is damaged ({})", name_, packing_, reason);
  }
  // The library's view of what it took.
  void take(size_t left) {
    next_ += left_ - left;
    left_ = left;
  }

  std::unique_ptr<ByteSource> packed_;
  std::string name_;
  const char* packing_;
  std::vector<char> block_;
  const char* next_ = nullptr;
  size_t left_ = 0;
  bool ended_ = false;    // there are no more packed bytes
  bool between_ = false;  // two packed parts: they may end here
};

class GzipSource : public Unpacking {
 public:
  GzipSource(std::unique_ptr<ByteSource> packed, std::string name)
      : Unpacking(std::move(packed), std::move(name), "gzip") {
    constexpr int kOnlyGzip = 16;
    if (inflateInit2(&stream_, MAX_WBITS + kOnlyGzip) != Z_OK) throw std::bad_alloc();
  }
  ~GzipSource() override { inflateEnd(&stream_); }

 private:
  size_t step(char* to, size_t bytes) override {
    if (between_) {
      while (left_ > 0 && *next_ == 0) take(left_ - 1);  // tapes fill their last block with zeros
      if (left_ == 0) return 0;
      inflateReset(&stream_);
      between_ = false;
    }
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(next_));
    stream_.avail_in = static_cast<uInt>(left_);
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = static_cast<uInt>(bytes);
    const int state = inflate(&stream_, Z_NO_FLUSH);
    take(stream_.avail_in);
    if (state == Z_MEM_ERROR) throw std::bad_alloc();
    if (state != Z_OK && state != Z_STREAM_END && state != Z_BUF_ERROR) {
      fail_damaged(stream_.msg != nullptr ? stream_.msg : "it is not gzip");
    }
    between_ = state == Z_STREAM_END;
    return bytes - stream_.avail_out;
  }

  z_stream stream_ = {};
};

class ZstdSource : public Unpacking {
 public:
  ZstdSource(std::unique_ptr<ByteSource> packed, std::string name)
      : Unpacking(std::move(packed), std::move(name), "zstd"), stream_(ZSTD_createDStream()) {
    if (stream_ == nullptr) throw std::bad_alloc();
    ZSTD_DCtx_setParameter(stream_, ZSTD_d_windowLogMax, kZstdWindow);
  }
  ~ZstdSource() override { ZSTD_freeDStream(stream_); }

 private:
  size_t step(char* to, size_t bytes) override {
    if (between_ && left_ == 0) return 0;  // else it would begin another frame
    ZSTD_inBuffer in = {next_, left_, 0};
    ZSTD_outBuffer out = {to, bytes, 0};
    const size_t state = ZSTD_decompressStream(stream_, &out, &in);
    if (ZSTD_isError(state) != 0) fail_damaged(ZSTD_getErrorName(state));
    take(left_ - in.pos);
    between_ = state == 0;
    return out.pos;
  }

  ZSTD_DStream* stream_;
};

class XzSource : public Unpacking {
 public:
  XzSource(std::unique_ptr<ByteSource> packed, std::string name) : Unpacking(std::move(packed), std::move(name), "xz") {
    if (lzma_stream_decoder(&stream_, kXzMemory, LZMA_CONCATENATED) != LZMA_OK) throw std::bad_alloc();
  }
  ~XzSource() override { lzma_end(&stream_); }

 private:
  size_t step(char* to, size_t bytes) override {
    if (between_) return 0;
    stream_.next_in = reinterpret_cast<const uint8_t*>(next_);
    stream_.avail_in = left_;
    stream_.next_out = reinterpret_cast<uint8_t*>(to);
    stream_.avail_out = bytes;
    const lzma_ret state = lzma_code(&stream_, ended_ ? LZMA_FINISH : LZMA_RUN);
    take(stream_.avail_in);
    switch (state) {
      case LZMA_OK:
      case LZMA_BUF_ERROR:  // nothing to take and nothing to give; whether that is the end is told above
        break;
      case LZMA_STREAM_END: between_ = true; break;
      case LZMA_MEM_ERROR: throw std::bad_alloc();
      case LZMA_MEMLIMIT_ERROR: fail_damaged("unpacking it needs more than 512 MB");
      default: fail_damaged(state == LZMA_OPTIONS_ERROR ? "an unknown kind of xz" : "wrong bytes");
    }
    return bytes - stream_.avail_out;
  }

  lzma_stream stream_ = LZMA_STREAM_INIT;
};

}  // namespace

std::unique_ptr<ByteSource> unpack_gzip(std::unique_ptr<ByteSource> packed, std::string name) {
  return std::make_unique<GzipSource>(std::move(packed), std::move(name));
}

std::unique_ptr<ByteSource> unpack_zstd(std::unique_ptr<ByteSource> packed, std::string name) {
  return std::make_unique<ZstdSource>(std::move(packed), std::move(name));
}

std::unique_ptr<ByteSource> unpack_xz(std::unique_ptr<ByteSource> packed, std::string name) {
  return std::make_unique<XzSource>(std::move(packed), std::move(name));
}

}  // namespace otseq2set::inline core
