package dev.weir.gateway.actions.sample;

import dev.weir.config.policy.ByPolicy;
import dev.weir.config.policy.SamplingPolicy;
import dev.weir.gateway.reduce.sample.SampleAsk;
import dev.weir.gateway.reduce.sample.SampleCounts;
import dev.weir.model.RequestContext;
import dev.weir.model.SampleWish;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.SearchRequest;

/**
 * Says whether a search is answered by estimates: only if it asks for it, and the policy allows it.
 * The policy can be changed on any thread; a search goes by the one that it began with.
 */
public final class Sampling {
  private final SampleCounts counts = new SampleCounts();
  private final LongSupplier seeds;
  private volatile ByPolicy<SamplingPolicy> policies;

  /**
   * Begins with policies.
   *
   * @param seeds decide by chance which shards are asked; called on any thread
   */
  public Sampling(ByPolicy<SamplingPolicy> policies, LongSupplier seeds) {
    this.policies = policies;
    this.seeds = seeds;
  }

  /** Goes by others from now on. */
  public void use(ByPolicy<SamplingPolicy> others) {
    policies = others;
  }

  /** What was saved. */
  public SampleCounts counts() {
    return counts;
  }

  /**
   * How a search is to be estimated, which asks its shards for enough from now on; null where it is
   * answered from all of them.
   *
   * @throws IllegalArgumentException where it asks for an estimate that it can't have
   */
  public @Nullable SampleAsk of(SearchRequest request, RequestContext context) {
    SampleWish wish = context.sample();
    if (wish == null) {
      return null;
    }
    SamplingPolicy now = policies.of(context.policy());
    try {
      if (!now.enabled()) {
        throw new IllegalArgumentException(
            "got a search that is to be sampled (expected: none, as long as"
                + " ["
                + (context.policy().isEmpty() ? "responses" : "policies." + context.policy())
                + ".sampling.enabled] is false)");
      }
      return SampleAsk.of(request, wish, seed(wish, request), now.minShardsPerIndex(), counts);
    } catch (IllegalArgumentException refused) {
      counts.refuse();
      throw refused;
    }
  }

  /** By the same preference the same shards are asked, as the same copies are. */
  private long seed(SampleWish wish, SearchRequest request) {
    Long said = wish.seed();
    if (said != null) {
      return said;
    }
    String preference = request.preference();
    return preference == null || preference.startsWith("_")
        ? seeds.getAsLong()
        : preference.hashCode();
  }
}
