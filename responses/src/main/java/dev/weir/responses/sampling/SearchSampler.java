package dev.weir.responses.sampling;

import dev.weir.config.policy.SamplingPolicy;
import dev.weir.core.actions.SearchSamplingPlanner;
import dev.weir.model.PolicySectionRegistry;
import dev.weir.model.RequestContext;
import dev.weir.model.RequestPolicy;
import dev.weir.model.SamplingSpec;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.SearchRequest;

/**
 * Decides whether a search is answered by estimates: only if the request wants them and its policy
 * allows them. Safe on any thread.
 */
public final class SearchSampler implements SearchSamplingPlanner {
  private final SampleCounts counts = new SampleCounts();
  private final LongSupplier seeds;
  private final RequestPolicy.Section<SamplingPolicy> section;

  /**
   * Registers the sampling section of policies.
   *
   * @param seeds random seeds that determine the sampled shards; called on any thread
   */
  public SearchSampler(PolicySectionRegistry<SamplingPolicy> sections, LongSupplier seeds) {
    this.section = sections.register((name, says, before) -> says);
    this.seeds = seeds;
  }

  public SampleCounts counts() {
    return counts;
  }

  /**
   * Plans the estimates of a search and rewrites its shard requests; null if all shards answer.
   *
   * @throws IllegalArgumentException if the search requests an estimate that is not possible
   */
  @Override
  public @Nullable SampledSearchSpec planSample(SearchRequest request, RequestContext context) {
    SamplingSpec requested = context.search().samplingSpec();
    if (requested == null) {
      return null;
    }
    RequestPolicy policy = context.resources().policy();
    SamplingPolicy now = policy.get(section);
    try {
      if (!now.enabled()) {
        throw new IllegalArgumentException(
            "got a search that is to be sampled (expected: none, as long as"
                + " ["
                + (policy.name().isEmpty() ? "responses" : "policies." + policy.name())
                + ".sampling.enabled] is false)");
      }
      return SampledSearchSpec.create(
          request, requested, seed(requested, request), now.minShardsPerIndex(), counts);
    } catch (IllegalArgumentException refused) {
      counts.recordRejection();
      throw refused;
    }
  }

  /** The same preference samples the same shards, as it also selects the same copies. */
  private long seed(SamplingSpec requested, SearchRequest request) {
    Long requestedSeed = requested.seed();
    if (requestedSeed != null) {
      return requestedSeed;
    }
    String preference = request.preference();
    return preference == null || preference.startsWith("_")
        ? seeds.getAsLong()
        : preference.hashCode();
  }
}
