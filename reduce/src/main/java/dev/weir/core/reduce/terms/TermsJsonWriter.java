package dev.weir.core.reduce.terms;

import java.io.IOException;
import org.opensearch.core.xcontent.ToXContent.Params;
import org.opensearch.core.xcontent.XContentBuilder;
import org.opensearch.rest.action.search.RestSearchAction;
import org.opensearch.search.aggregations.Aggregation;
import org.opensearch.search.aggregations.Aggregation.CommonFields;
import org.opensearch.search.aggregations.Aggregations;
import org.opensearch.search.aggregations.bucket.terms.InternalMappedTerms;
import org.opensearch.search.aggregations.bucket.terms.InternalTerms;

/**
 * Writes the aggregations of a response as JSON; terms that are still numbers without creating
 * objects.
 */
public final class TermsJsonWriter {
  private TermsJsonWriter() {}

  /** Writes all aggregations to a JSON builder that neither pretty-prints nor filters. */
  public static void write(Aggregations aggregations, XContentBuilder builder, Params params)
      throws IOException {
    boolean typed = params.paramAsBoolean(RestSearchAction.TYPED_KEYS_PARAM, false);
    if (typed || aggregations.asList().isEmpty()) {
      aggregations.toXContent(builder, params);
      return;
    }
    builder.startObject(Aggregations.AGGREGATIONS_FIELD);
    for (Aggregation one : aggregations) {
      if (one instanceof InternalMappedTerms<?, ?> terms
          && (Object) terms.getBuckets() instanceof SelectedBuckets picked
          && picked.isPlain()) {
        write(terms, picked, builder);
      } else {
        one.toXContent(builder, params);
      }
    }
    builder.endObject();
  }

  private static void write(
      InternalMappedTerms<?, ?> terms, SelectedBuckets buckets, XContentBuilder builder)
      throws IOException {
    builder.startObject(terms.getName());
    if (terms.getMetadata() != null) {
      builder.field(CommonFields.META.getPreferredName());
      builder.map(terms.getMetadata());
    }
    builder.field(
        InternalTerms.DOC_COUNT_ERROR_UPPER_BOUND_FIELD_NAME.getPreferredName(),
        terms.getDocCountError());
    builder.field(
        InternalTerms.SUM_OF_OTHER_DOC_COUNTS.getPreferredName(), terms.getSumOfOtherDocCounts());
    builder.startArray(CommonFields.BUCKETS.getPreferredName());
    builder.flush();
    buckets.write(builder.getOutputStream());
    builder.endArray();
    builder.endObject();
  }
}
