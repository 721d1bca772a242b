#include "otseq2set/report/results_json.h"

#include <limits>
#include <set>

#include "otseq2set/core/error.h"
#include "otseq2set/report/result_fields.h"

namespace otseq2set::inline report {

namespace {

using Written = nlohmann::ordered_json;
using Read = nlohmann::json;
using Kind = SystemResult::Kind;

template <typename Value>
Written written(const Value& value);

struct Writer {
  template <typename Value>
  void operator()(const char* key, const Value& value) {
    object[key] = written(value);
  }
  template <typename Value>
  void operator()(const char* key, const std::optional<Value>& value) {
    if (value) object[key] = written(*value);
  }

  Written object = Written::object();
};

template <typename Value>
struct IsVector : std::false_type {};
template <typename Value>
struct IsVector<std::vector<Value>> : std::true_type {};

template <typename Value>
Written written(const Value& value) {
  if constexpr (IsVector<Value>::value) {
    Written array = Written::array();
    for (const auto& element : value) array.push_back(written(element));
    return array;
  } else if constexpr (std::is_same_v<Value, Kind>) {
    return system_kind_name(value);
  } else if constexpr (std::is_arithmetic_v<Value> || std::is_same_v<Value, std::string> ||
                       std::is_same_v<Value, Read>) {
    return Written(value);
  } else {
    Writer writer;
    visit(writer, value);
    return std::move(writer.object);
  }
}

std::string shortened(const Read& value) {
  constexpr size_t kShown = 40;
  std::string text = value.dump(-1, ' ', true, Read::error_handler_t::replace);
  if (text.size() > kShown) text = text.substr(0, kShown) + "...";
  return text;
}

// Where in which file a value stands, for messages.
struct Place {
  const std::string& source;
  std::string path;

  Place field(const std::string& key) const { return {source, path.empty() ? key : path + "." + key}; }
  Place element(size_t index) const { return {source, fmt::format("{}[{}]", path, index)}; }

  [[noreturn]] void expected(const char* what, const Read& found) const {
    fail("{}: {}{}expected {}, found {}", source, path, path.empty() ? "" : ": ", what, shortened(found));
  }
};

void read(const Read& json, const Place& place, std::string& value) {
  if (!json.is_string()) place.expected("a string", json);
  value = json.get<std::string>();
}

void read(const Read& json, const Place& place, double& value) {
  if (!json.is_number() && !json.is_null()) place.expected("a number", json);
  value = json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
}

void read(const Read& json, const Place& place, uint64_t& value) {
  if (!json.is_number_unsigned()) place.expected("a count", json);
  value = json.get<uint64_t>();
}

void read(const Read& json, const Place& place, int64_t& value) {
  const bool too_large = json.is_number_unsigned() && json.get<uint64_t>() > uint64_t{INT64_MAX};
  if (!json.is_number_integer() || too_large) place.expected("an integer", json);
  value = json.get<int64_t>();
}

void read(const Read& json, const Place& place, int& value) {
  int64_t wide = 0;
  read(json, place, wide);
  if (wide < INT32_MIN || wide > INT32_MAX) place.expected("a small integer", json);
  value = static_cast<int>(wide);
}

void read(const Read& json, const Place& place, Kind& value) {
  for (const Kind kind : {Kind::kBaseline, Kind::kOwn, Kind::kPeer}) {
    if (json == system_kind_name(kind)) {
      value = kind;
      return;
    }
  }
  place.expected("baseline, own or peer", json);
}

void read(const Read& json, const Place& place, Read& value) {
  if (!json.is_object() && !json.is_null()) place.expected("an object or null", json);
  value = json;
}

template <typename Value>
void read(const Read& json, const Place& place, std::vector<Value>& values) {
  if (!json.is_array()) place.expected("a list", json);
  values.resize(json.size());
  for (size_t i = 0; i < json.size(); ++i) read(json[i], place.element(i), values[i]);
}

template <typename Value>
void read(const Read& json, const Place& place, Value& part);

class Reader {
 public:
  Reader(const Read& object, const Place& place) : object_(object), place_(place) {
    if (!object.is_object()) place.expected("an object", object);
  }

  template <typename Value>
  void operator()(const char* key, Value& value) {
    const auto found = object_.find(key);
    if (found == object_.end()) fail("{}: {} is missing", place_.source, place_.field(key).path);
    known_.insert(key);
    read(*found, place_.field(key), value);
  }
  template <typename Value>
  void operator()(const char* key, std::optional<Value>& value) {
    if (object_.contains(key)) (*this)(key, value.emplace());
  }

  void refuse_unknown() const {
    for (const auto& [key, value] : object_.items()) {
      if (known_.count(key) == 0) fail("{}: unknown key {}", place_.source, place_.field(key).path);
    }
  }

 private:
  const Read& object_;
  const Place& place_;
  std::set<std::string> known_;
};

template <typename Value>
void read(const Read& json, const Place& place, Value& part) {
  Reader reader(json, place);
  visit(reader, part);
  reader.refuse_unknown();
}

template <typename Value>
std::string to_text(const Value& value) {
  Written json = {{"format", kResultsFormat}};
  json.update(written(value));
  return json.dump(1, ' ', false, Written::error_handler_t::replace) + "\n";
}

void check_format(const Read& json, const std::string& source) {
  const auto format = json.find("format");
  if (format == json.end() || !format->is_number_unsigned() || *format == 0U)
    fail("{}: no format number; were these results written by otseq2set?", source);
  if (*format > kResultsFormat) {
    fail("{}: format {}, written by a newer otseq2set; this is {}, which reads up to format {}", source, format->dump(),
         OTSEQ2SET_VERSION, kResultsFormat);
  }
}

template <typename Value>
Value from_text(const std::string& text, const std::string& source) {
  Read json = Read::parse(text, nullptr, false);
  if (!json.is_object()) fail("{}: not a JSON object", source);
  check_format(json, source);
  json.erase("format");
  Value value;
  read(json, Place{source, ""}, value);
  return value;
}

}  // namespace

std::string to_json(const Results& results) { return to_text(results); }
std::string to_json(const RunResult& run) { return to_text(run); }

Results results_from_json(const std::string& text, const std::string& source) {
  return from_text<Results>(text, source);
}

RunResult run_from_json(const std::string& text, const std::string& source) {
  return from_text<RunResult>(text, source);
}

}  // namespace otseq2set::inline report
