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
 * Says whether a search is answered by estimates: only if it asks for it, and its policy allows it.
 * Safe on any thread.
 */
public final class SearchSampler implements SearchSamplingPlanner {
  private final SampleCounts counts = new SampleCounts();
  private final LongSupplier seeds;
  private final RequestPolicy.Section<SamplingPolicy> section;

  /**
   * Goes by what policies say of it.
   *
   * @param seeds decide by chance which shards are asked; called on any thread
   */
  public SearchSampler(PolicySectionRegistry<SamplingPolicy> sections, LongSupplier seeds) {
    this.section = sections.register((name, says, before) -> says);
    this.seeds = seeds;
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
  @Override
  public @Nullable SampledSearchSpec planSample(SearchRequest request, RequestContext context) {
    SamplingSpec wish = context.search().samplingSpec();
    if (wish == null) {
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
          request, wish, seed(wish, request), now.minShardsPerIndex(), counts);
    } catch (IllegalArgumentException refused) {
      counts.recordRejection();
      throw refused;
    }
  }

  /** By the same preference the same shards are asked, as the same copies are. */
  private long seed(SamplingSpec wish, SearchRequest request) {
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
