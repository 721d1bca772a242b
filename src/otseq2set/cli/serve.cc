// otseq2set serve: labels over HTTP, for programs and for people with a browser.
#include <sys/resource.h>

#include <atomic>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "otseq2set/cli/command.h"
#include "otseq2set/cli/options_file.h"
#include "otseq2set/core/error.h"
#include "otseq2set/core/threads.h"
#include "otseq2set/http/tell.h"
#include "otseq2set/serving/predictor_suggester.h"
#include "otseq2set/serving/server.h"

namespace otseq2set::inline cli {

namespace {

struct ServeOptions {
  std::vector<std::string> models;
  std::string file, token, token_file;
  ServerOptions server;
  double batch_wait = 2, timeout = 30, idle_timeout = 60;  // milliseconds, seconds, seconds
  size_t workers = 0;                                      // 0: two, where there are two threads for them
  int threads = 0;
};

// Blocked in every thread from the start, and waited for in this one: nothing happens in a signal handler.
class Signals {
 public:
  Signals() {
    sigemptyset(&stop_);
    for (int signal : {SIGINT, SIGTERM}) sigaddset(&stop_, signal);
    all_ = stop_;
    sigaddset(&all_, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &all_, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
  }
  int wait() const {
    int signal = 0;
    sigwait(&all_, &signal);
    return signal;
  }
  // From now on a signal to stop ends the program at once.
  void release() const { pthread_sigmask(SIG_UNBLOCK, &stop_, nullptr); }

  // A signal to stop ends the program at once while `work` goes on: there is nothing to lose yet. All threads
  // that it starts still have the signals blocked.
  template <typename Work>
  auto interruptible(const Work& work) const {
    std::atomic<bool> over{false};
    std::thread watch([&] {
      constexpr timespec kOften{0, 50000000};
      while (!over) {
        const int signal = sigtimedwait(&stop_, nullptr, &kOften);
        if (signal > 0) std::_Exit(128 + signal);
      }
    });
    const auto join = [&](void*) {
      over = true;
      watch.join();
    };
    const std::unique_ptr<void, decltype(join)> end(&over, join);
    return work();
  }

 private:
  sigset_t stop_, all_;
};

// Loads models again in a thread of its own: a signal to stop is heard meanwhile.
class Reloads {
 public:
  explicit Reloads(Server& server) : thread_([this, &server] { work(server); }) {}
  // After what is under way.
  ~Reloads() {
    wake(over_);
    thread_.join();
  }
  Reloads(const Reloads&) = delete;
  Reloads& operator=(const Reloads&) = delete;

  void ask() { wake(asked_); }

 private:
  void wake(bool& flag) {
    const std::lock_guard<std::mutex> lock(mutex_);
    flag = true;
    changed_.notify_one();
  }
  void work(Server& server) {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return asked_ || over_; });
      if (over_) return;
      asked_ = false;
      lock.unlock();
      server.reload();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool asked_ = false, over_ = false;
  std::thread thread_;  // last: it uses the others
};

// A connection is a descriptor; most systems allow far more than they give at first.
void allow_many_connections() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

Tokens read_tokens(const ServeOptions& options, bool given) {
  const char* variable = std::getenv("OTSEQ2SET_API_TOKEN");
  if (options.token.empty() && (given || variable != nullptr)) {
    fail_usage("the token in {} is empty", given ? "--api-token" : "OTSEQ2SET_API_TOKEN");
  }
  Tokens tokens;
  if (!options.token.empty()) tokens.add("", options.token);
  if (!options.token_file.empty()) tokens.add_file(options.token_file);
  return tokens;
}

void check_options(const ServeOptions& options) {
  if (options.models.empty()) fail_usage("--model is required (see otseq2set serve --help)");
  if (!options.server.tokens.empty() || is_loopback(options.server.http.host)) return;
  fail_usage(
      "--host {} can be reached from other machines, and without a token anyone there can use the models; "
      "give one with --api-token, OTSEQ2SET_API_TOKEN or --token-file, or use 127.0.0.1",
      options.server.http.host);
}

std::shared_ptr<const Suggester> load_and_note(const std::string& folder) {
  auto suggester = load_suggester(folder);
  note_unless_vouched_for(ModelFolder(folder));
  return suggester;
}

std::chrono::milliseconds milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<int64_t>(seconds * 1e3));
}

void serve(ServeOptions options) {
  const Signals signals;
  allow_many_connections();
  const int threads = set_threads(options.threads);
  // While one worker's answers are on their way and its clients ask again, another one works. Each has its
  // share of the threads.
  options.server.workers = options.workers > 0 ? options.workers : std::min(threads, 2);
  set_threads(std::max(1, threads / static_cast<int>(options.server.workers)));
  options.server.batching.wait = std::chrono::microseconds(static_cast<int64_t>(options.batch_wait * 1e3));
  options.server.http.answer_time = options.server.http.transfer_time = milliseconds(options.timeout);
  options.server.http.idle_time = milliseconds(options.idle_timeout);
  std::vector<ModelPlace> places;
  for (const std::string& model : options.models) places.push_back(parse_model_place(model));

  const auto loaded =
      signals.interruptible([&] { return std::make_unique<Server>(options.server, std::move(places), load_and_note); });
  Server& server = *loaded;
  Reloads reloads(server);
  server.run();
  const std::string& host = options.server.http.host;
  tell("serving {} at http://{}:{}/", server.models().names(),
       host.find(':') == std::string::npos ? host : "[" + host + "]", server.port());
  while (signals.wait() == SIGHUP) reloads.ask();
  tell("stopping: accepted requests are still answered; a second signal ends at once");
  server.stop();
  signals.release();
  server.wait();
}

}  // namespace

void add_serve(CLI::App& program) {
  auto options = std::make_shared<ServeOptions>();
  ServerOptions& server = options->server;
  CLI::App& command = *program.add_subcommand("serve", "Suggest labels over HTTP, with a web page");
  command.add_option("--config", options->file,
                     "read options from a JSON file, such as {\"port\": 9000}; those given here win");
  command
      .add_option("--model", options->models, "folder of a model, or NAME=DIR; may be given several times; required")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command.add_option("--host", server.http.host, "address to listen on")->capture_default_str();
  command.add_option("--port", server.http.port, "port to listen on; 0 = any free port")->capture_default_str();
  command
      .add_option("--api-token", options->token,
                  "clients must send 'Authorization: Bearer TOKEN'; required unless --host is this machine")
      ->envname("OTSEQ2SET_API_TOKEN");
  command.add_option("--token-file", options->token_file,
                     "file with more tokens, one per line: a name, which the access log shows, and the token");
  command
      .add_option("--trusted-proxy", server.http.trusted_proxies,
                  "address of a proxy whose X-Forwarded-For the access log believes, and that may have as many "
                  "connections as it wants; may be given several times")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command.add_option("--batch", server.batching.batch, "maximum number of documents predicted together")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  command
      .add_option("--batch-wait", options->batch_wait, "maximum time in milliseconds that a document waits for others")
      ->check(CLI::Range(0.0, 1000.0))
      ->capture_default_str();
  command.add_option("--queue", server.queue, "documents that may wait; further requests are answered with 503")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  command
      .add_option("--workers", options->workers,
                  "batches predicted at the same time, each with its share of --threads; 2 if not given")
      ->check(CLI::Range(1, 256));
  add_threads_option(command, options->threads);
  command.add_option("--max-body", server.http.max_body, "largest size of a request in bytes, such as 8MB")
      ->transform(CLI::AsSizeValue(false))
      ->capture_default_str();
  command
      .add_option("--timeout", options->timeout,
                  "seconds allowed for a request to arrive, for its answer to be ready, and for sending the answer")
      ->check(CLI::Range(0.1, 86400.0))
      ->capture_default_str();
  command
      .add_option("--idle-timeout", options->idle_timeout, "seconds that a connection may be idle between two requests")
      ->check(CLI::Range(0.1, 86400.0))
      ->capture_default_str();
  command
      .add_option("--connections", server.http.max_connections,
                  "maximum number of open connections; a further one gets the place of one that is idle, or waits")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  command
      .add_option("--connections-per-address", server.http.connections_per_address,
                  "maximum number of open connections of one address; half of --connections if not given")
      ->check(CLI::Range(1, 1 << 20));
  command
      .add_option("--access-log", server.access_log,
                  "file for the log, one JSON line per request; - for standard output, off for none")
      ->capture_default_str();
  command.callback([options, &command] {
    if (!options->file.empty()) apply_options_file(command, options->file);
    options->server.tokens = read_tokens(*options, command.count("--api-token") > 0);
    check_options(*options);
    serve(*options);
  });
}

}  // namespace otseq2set::inline cli
