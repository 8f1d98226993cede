#include "llm/spending.h"

#include <fmt/format.h>

namespace hone::llm {
namespace {

class Limited final : public ModelProvider {
public:
  Limited(std::unique_ptr<ModelProvider> inner, ModelLimits limits, PriceTable prices, ModelSpending spending,
          std::function<void(const ModelSpending&)> observe)
    : m_inner(std::move(inner)), m_limits(limits), m_prices(std::move(prices)), m_spending(spending),
      m_observe(std::move(observe))
  {
  }
  std::string_view name() const override { return m_inner->name(); }

  ModelResult<ModelAnswer> ask(const ModelRequest& request, const ModelListener& listener) override
  {
    if (std::string reason = exhausted(); !reason.empty()) {
      return std::unexpected(ModelFailure{
        ModelFailure::Kind::stopped, {std::move(reason), "raise the limit and resume: nothing is asked twice", {}}});
    }
    auto answer = m_inner->ask(request, listener);
    if (answer) {
      count(*answer);
      if (m_observe) {
        m_observe(m_spending);
      }
    }
    return answer;
  }

  ModelResult<std::vector<std::string>> models(std::stop_token stop) override { return m_inner->models(stop); }

private:
  std::string exhausted() const
  {
    const std::int64_t tokens = m_spending.usage.prompt_tokens + m_spending.usage.answer_tokens;
    if (m_limits.usd && m_spending.usd >= *m_limits.usd) {
      return fmt::format("the budget of {:.2f} USD is spent ({})", *m_limits.usd, to_text(m_spending));
    }
    if (m_limits.tokens && tokens >= *m_limits.tokens) {
      return fmt::format("the budget of {} tokens is spent ({})", *m_limits.tokens, to_text(m_spending));
    }
    if (m_limits.usd && !m_spending.usd_known) {
      return "the model's price is not known, so that a budget in USD cannot be kept: add it to prices.toml, or limit "
             "tokens";
    }
    return "";
  }

  void count(const ModelAnswer& answer)
  {
    if (answer.kept) {
      ++m_spending.kept;
      return;
    }
    ++m_spending.asked;
    m_spending.usage.prompt_tokens += answer.usage.prompt_tokens;
    m_spending.usage.cached_tokens += answer.usage.cached_tokens;
    m_spending.usage.answer_tokens += answer.usage.answer_tokens;
    m_spending.usage.estimated |= answer.usage.estimated;
    m_spending.seconds += answer.seconds;
    const auto usd = m_prices.usd(answer.model, answer.usage);
    m_spending.usd += usd.value_or(0);
    m_spending.usd_known &= usd.has_value();
  }

  std::unique_ptr<ModelProvider> m_inner;
  ModelLimits m_limits;
  PriceTable m_prices;
  ModelSpending m_spending;
  std::function<void(const ModelSpending&)> m_observe;
};

} // namespace

std::string to_text(const ModelSpending& spending)
{
  return fmt::format("{} answers{}, {} + {} tokens{}, {}", spending.asked + spending.kept,
                     spending.kept > 0 ? fmt::format(" ({} kept)", spending.kept) : "", spending.usage.prompt_tokens,
                     spending.usage.answer_tokens, spending.usage.estimated ? " (estimated)" : "",
                     spending.usd_known ? fmt::format("{:.2f} USD", spending.usd) : "cost not known");
}

std::unique_ptr<ModelProvider> make_limited(std::unique_ptr<ModelProvider> inner, ModelLimits limits, PriceTable prices,
                                            ModelSpending spending, std::function<void(const ModelSpending&)> observe)
{
  return std::make_unique<Limited>(std::move(inner), limits, std::move(prices), spending, std::move(observe));
}

} // namespace hone::llm
