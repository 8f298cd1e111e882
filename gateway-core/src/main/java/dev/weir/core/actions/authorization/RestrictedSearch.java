package dev.weir.core.actions.authorization;

import dev.weir.model.PassThroughException;
import dev.weir.model.SearchPreferences;
import dev.weir.rest.PassThroughReasons;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.search.aggregations.AggregationBuilder;
import org.opensearch.search.aggregations.bucket.sampler.DiversifiedAggregationBuilder;
import org.opensearch.search.aggregations.bucket.terms.SignificantTermsAggregationBuilder;
import org.opensearch.search.aggregations.bucket.terms.TermsAggregationBuilder;
import org.opensearch.search.builder.SearchSourceBuilder;

/**
 * Prepares a search of a user with document- or field-level security or field masking, as the
 * coordinating node of the security plugin does. Data nodes leave out documents and fields. Pure.
 */
final class RestrictedSearch {
  /** How terms are counted: global ordinals are those of the values before they are masked. */
  private static final String MAP_HINT = "map";

  private RestrictedSearch() {}

  /**
   * Changes a search of a restricted user so that no shard answers from its request cache, which
   * does not know users.
   *
   * @throws PassThroughException if nodes refuse it, or carry it out in a way of their own
   */
  static void prepare(
      SearchRequest search, AuthorizedClient client, SearchPreferences preferences) {
    if (!client.isRestricted()) {
      return;
    }
    if (!client.isRestrictedByDataNodes()) {
      throw new PassThroughException(PassThroughReasons.SECURITY_USER);
    }
    SearchSourceBuilder source = search.source();
    boolean isSpecial =
        preferences.hasOwnFormat() // its columns would name hidden fields
            || preferences.samplingSpec() != null
            || (source != null && source.suggest() != null);
    requireAccepted(source);
    if (isSpecial) {
      throw new PassThroughException(PassThroughReasons.SECURITY_USER);
    }
    if (search.scroll() == null) {
      search.requestCache(false); // a scroll uses no cache, and must not say so
    }
    if (source != null && source.aggregations() != null) {
      for (AggregationBuilder aggregation : source.aggregations().getAggregatorFactories()) {
        prepare(aggregation);
      }
    }
  }

  /**
   * Leaves a search to nodes that they refuse of restricted users. A user without any role for the
   * indices of a search, such as a wildcard without a match, is restricted too.
   *
   * @throws PassThroughException if nodes refuse it
   */
  static void requireAccepted(@Nullable SearchSourceBuilder source) {
    if (source == null) {
      return;
    }
    boolean hasAllTerms =
        source.aggregations() != null
            && source.aggregations().getAggregatorFactories().stream()
                .anyMatch(all ->
                    all instanceof TermsAggregationBuilder terms && terms.minDocCount() == 0);
    if (hasAllTerms || source.profile()) {
      throw new PassThroughException(PassThroughReasons.SECURITY_USER);
    }
  }

  private static void prepare(AggregationBuilder aggregation) {
    switch (aggregation) {
      case TermsAggregationBuilder terms -> terms.executionHint(MAP_HINT);
      case SignificantTermsAggregationBuilder terms -> terms.executionHint(MAP_HINT);
      case DiversifiedAggregationBuilder sampler -> sampler.executionHint(MAP_HINT);
      default -> {}
    }
  }
}
