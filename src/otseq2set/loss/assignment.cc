#include "otseq2set/loss/assignment.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>

namespace otseq2set::inline loss {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The matrix to minimise, [agents, tasks], turned so that there are no more agents than tasks.
std::vector<double> cost_matrix(const double* score, int rows, int cols) {
  std::vector<double> cost(static_cast<size_t>(rows) * cols);
  for (int row = 0; row < rows; ++row) {
    for (int col = 0; col < cols; ++col) {
      const double value = *score++;
      assert(std::isfinite(value));
      const size_t at = rows <= cols ? static_cast<size_t>(row) * cols + col : static_cast<size_t>(col) * rows + row;
      cost[at] = -value;
    }
  }
  return cost;
}

// Gives the agents a task each, one after the other. Invariant: every reduced cost
// cost[agent, task] - agent_dual[agent] - task_dual[task] is >= 0, and 0 for the pairs made so far.
class Solver {
 public:
  Solver(std::vector<double> cost, int agents, int tasks)
      : cost_(std::move(cost)),
        tasks_(tasks),
        agent_dual_(agents, 0.0),
        task_dual_(tasks, 0.0),
        task_of_(agents, -1),
        agent_of_(tasks, -1),
        distance_(tasks),
        came_from_(tasks),
        open_(tasks) {}

  void serve(int agent) {
    const int task = search(agent);
    update_duals(agent);
    augment(agent, task);
  }

  const std::vector<int>& agents_of_tasks() const { return agent_of_; }
  const std::vector<int>& tasks_of_agents() const { return task_of_; }

 private:
  // Dijkstra over the reduced costs from `start` to the nearest free task, which is returned. On return
  // open_[0 .. open_count_) are the tasks not reached, the ones reached stand behind it.
  int search(int start) {
    std::fill(distance_.begin(), distance_.end(), kInfinity);
    std::iota(open_.begin(), open_.end(), 0);
    open_count_ = tasks_;
    path_length_ = 0.0;
    for (int agent = start;;) {
      const int at = relax(agent);
      const int task = open_[at];
      path_length_ = distance_[task];
      close(at);
      if (agent_of_[task] < 0) return task;
      agent = agent_of_[task];
    }
  }

  // Offers every open task the way through `agent`; returns the position in open_ of the nearest.
  int relax(int agent) {
    const double* cost = cost_.data() + static_cast<size_t>(agent) * tasks_;
    const double base = path_length_ - agent_dual_[agent];
    int best = 0;
    for (int at = 0; at < open_count_; ++at) {
      const int task = open_[at];
      const double through = base + cost[task] - task_dual_[task];
      if (through < distance_[task]) {
        distance_[task] = through;
        came_from_[task] = agent;
      }
      if (nearer(task, open_[best])) best = at;
    }
    return best;
  }

  bool nearer(int task, int other) const {
    if (distance_[task] != distance_[other]) return distance_[task] < distance_[other];
    return agent_of_[task] < 0 && agent_of_[other] >= 0;  // open_ is ascending: the lower index came first
  }

  // Keeps open_ ascending, on which the order of ties rests.
  void close(int at) {
    std::rotate(open_.begin() + at, open_.begin() + at + 1, open_.begin() + open_count_);
    --open_count_;
  }

  void update_duals(int start) {
    agent_dual_[start] += path_length_;
    for (int at = open_count_; at < tasks_; ++at) {
      const int task = open_[at];
      const double slack = path_length_ - distance_[task];
      task_dual_[task] -= slack;
      if (agent_of_[task] >= 0) agent_dual_[agent_of_[task]] += slack;
    }
  }

  // Turns the path around: every agent on it takes the task it was reached by.
  void augment(int start, int task) {
    for (;;) {
      const int agent = came_from_[task];
      agent_of_[task] = agent;
      std::swap(task_of_[agent], task);
      if (agent == start) return;
    }
  }

  std::vector<double> cost_;  // [agents, tasks]
  int tasks_;
  std::vector<double> agent_dual_, task_dual_;
  std::vector<int> task_of_, agent_of_;  // the pairs made so far, -1 for none

  // The search at hand.
  std::vector<double> distance_;  // of each task from the agent being served
  std::vector<int> came_from_;    // the agent before each task
  std::vector<int> open_;
  int open_count_ = 0;
  double path_length_ = 0.0;
};

}  // namespace

std::vector<int> assign(const double* score, int rows, int cols) {
  assert(rows >= 0 && cols >= 0);
  const int agents = std::min(rows, cols);
  if (agents == 0) return std::vector<int>(rows, -1);
  Solver solver(cost_matrix(score, rows, cols), agents, std::max(rows, cols));
  for (int agent = 0; agent < agents; ++agent) solver.serve(agent);
  return rows <= cols ? solver.tasks_of_agents() : solver.agents_of_tasks();
}

}  // namespace otseq2set::inline loss
