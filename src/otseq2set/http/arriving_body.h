// A body that takes memory as its bytes arrive. Beast's string_body takes all that the header announces at once, so
// that many headers without bodies would take all there is.
#pragma once

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/buffers_range.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/optional.hpp>
#include <cstdint>
#include <new>
#include <string>

namespace otseq2set::inline http {

// As Beast wants it: https://www.boost.org/doc/libs/1_74_0/libs/beast/doc/html/beast/concepts/BodyReader.html
struct ArrivingBody {
  using value_type = std::string;

  class reader {  // NOLINT(readability-identifier-naming): as Beast calls it
   public:
    template <bool kIsRequest, class Fields>
    reader(boost::beast::http::header<kIsRequest, Fields>& /*head*/, std::string& body) : body_(body) {}

    void init(const boost::optional<uint64_t>& /*length*/, boost::system::error_code& error) { error = {}; }

    template <class Buffers>
    size_t put(const Buffers& buffers, boost::system::error_code& error) {
      error = {};
      const size_t before = body_.size();
      try {
        for (const auto buffer : boost::beast::buffers_range_ref(buffers)) {
          body_.append(static_cast<const char*>(buffer.data()), buffer.size());
        }
      } catch (const std::bad_alloc&) {
        error = make_error_code(boost::system::errc::not_enough_memory);
      }
      return body_.size() - before;
    }

    void finish(boost::system::error_code& error) { error = {}; }

   private:
    std::string& body_;
  };
};

}  // namespace otseq2set::inline http
