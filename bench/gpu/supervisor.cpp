#include "supervisor.h"

#include "driver.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace hone::gpu_bench {

namespace {

constexpr double k_start_s = 30; // of a process until its first item: cuInit and a context, where files are cold

// A child and the lines that it says.
class Child {
public:
  explicit Child(const std::function<void(const Say&)>& work)
  {
    int ends[2] = {-1, -1};
    if (pipe(ends) != 0) {
      std::perror("pipe");
      std::exit(2);
    }
    std::fflush(nullptr);
    m_begin = now();
    m_pid = fork();
    if (m_pid == 0) {
      close(ends[0]);
      work([&](const std::string& line) {
        std::string text = line;
        std::ranges::replace(text, '\n', ' ');
        text += '\n';
        for (std::size_t at = 0; at < text.size();) {
          const ssize_t done = write(ends[1], text.data() + at, text.size() - at);
          if (done <= 0) {
            _exit(3);
          }
          at += static_cast<std::size_t>(done);
        }
      });
      std::fflush(nullptr);
      _exit(0);
    }
    close(ends[1]);
    m_pipe = ends[0];
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() { end(); }

  enum class Read { line, closed, late };
  Read line(std::string& out, double deadline)
  {
    for (;;) {
      if (const std::size_t at = m_text.find('\n'); at != std::string::npos) {
        out = m_text.substr(0, at);
        m_text.erase(0, at + 1);
        return Read::line;
      }
      const double left = deadline - now();
      pollfd one = {m_pipe, POLLIN, 0};
      if (left <= 0 || poll(&one, 1, std::max(1, static_cast<int>(left * 1000))) == 0) {
        if (left > 0) {
          continue;
        }
        return Read::late;
      }
      char bytes[4096];
      const ssize_t count = read(m_pipe, bytes, sizeof bytes);
      if (count <= 0) {
        return Read::closed;
      }
      m_text.append(bytes, static_cast<std::size_t>(count));
    }
  }

  // Seconds until it was gone.
  double kill_it()
  {
    const double begin = now();
    kill(m_pid, SIGKILL);
    waitpid(m_pid, &m_status, 0);
    m_pid = -1;
    return now() - begin;
  }
  // Its wait status; it has closed its pipe, but a driver may still need a while, or never end.
  int end()
  {
    for (int tries = 0; m_pid > 0; ++tries) {
      if (waitpid(m_pid, &m_status, WNOHANG) == m_pid) {
        m_pid = -1;
      } else if (tries > 2000) {
        kill_it();
      } else {
        usleep(5000);
      }
    }
    if (m_pipe >= 0) {
      close(m_pipe);
      m_pipe = -1;
    }
    return m_status;
  }
  double seconds() const { return now() - m_begin; }

private:
  pid_t m_pid = -1;
  int m_pipe = -1, m_status = 0;
  double m_begin = 0;
  std::string m_text;
};

std::string how_it_ended(int status)
{
  return WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status))
                             : "status " + std::to_string(WEXITSTATUS(status));
}

} // namespace

Ended run_apart(const std::function<void(const Say&)>& work, double deadline_s)
{
  Child child(work);
  Ended out;
  std::string line;
  for (;;) {
    const Child::Read read = child.line(line, now() + std::max(0.0, deadline_s - child.seconds()));
    if (read == Child::Read::line) {
      out.text += (out.text.empty() ? "" : "; ") + line;
      continue;
    }
    if (read == Child::Read::late) {
      out.how = Ended::How::killed;
      out.reap_seconds = child.kill_it();
    } else if (const int status = child.end(); status != 0) {
      out.how = Ended::How::died;
      out.text += (out.text.empty() ? "" : "; ") + how_it_ended(status);
    }
    out.seconds = child.seconds();
    return out;
  }
}

void supervise(std::size_t count, double deadline_s, double limit_s, const Supervised& work)
{
  const double end = now() + limit_s;
  std::size_t next = 0;
  while (next < count && now() < end) {
    const std::size_t first = next;
    Child child([&](const Say& say) {
      if (const std::string wrong = work.open(); !wrong.empty()) {
        say("closed " + wrong);
        return;
      }
      say("open");
      for (std::size_t i = first; i < count; ++i) {
        const Item item = work.item(i);
        say("item " + item.text);
        if (item.lost) {
          _exit(0); // without the driver's own ending, which may wait for what hangs
        }
      }
    });
    bool opened = false;
    std::string line;
    for (bool goes_on = true; goes_on && next < count;) {
      const double begun = now(), deadline = std::min(end, begun + (opened ? deadline_s : k_start_s));
      switch (child.line(line, deadline)) {
      case Child::Read::line:
        if (line == "open") {
          opened = true;
        } else if (line.starts_with("closed ")) {
          for (; next < count; ++next) {
            work.result(next, "not reached: " + line.substr(7));
          }
        } else {
          work.result(next++, line.substr(5));
        }
        break;
      case Child::Read::late:
        child.kill_it();
        if (now() < end || !opened) {
          work.result(next++, "hang: killed after " + std::to_string(now() - begun) + " s");
        }
        goes_on = false;
        break;
      case Child::Read::closed:
        if (const int status = child.end(); status != 0) {
          work.result(next++, "fault: the process ended with " + how_it_ended(status));
        } else if (next == first) {
          work.result(next++, "fault: the process ended without a word");
        }
        goes_on = false;
        break;
      }
    }
  }
  for (; next < count; ++next) {
    work.result(next, "not reached: out of time");
  }
}

} // namespace hone::gpu_bench
