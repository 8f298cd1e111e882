package dev.weir.core.reduce.terms;

import dev.weir.protocol.registry.OpenSearchRegistries;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;
import org.apache.lucene.util.BytesRef;
import org.opensearch.Version;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.common.xcontent.json.JsonXContent;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.xcontent.ToXContent;
import org.opensearch.core.xcontent.XContentBuilder;
import org.opensearch.search.aggregations.InternalAggregation;
import org.opensearch.search.aggregations.InternalAggregation.ReduceContext;
import org.opensearch.search.aggregations.InternalAggregations;
import org.opensearch.search.aggregations.pipeline.PipelineAggregator.PipelineTree;

/** Shards' aggregations as bytes, and their reduction by OpenSearch. */
final class TermsFixture {
  private static final OpenSearchRegistries REGISTRIES = OpenSearchRegistries.create();

  private TermsFixture() {}

  /** As a frame has them: neither at the array's start nor at its end. */
  static AggregationBytes bytes(InternalAggregations answer) throws IOException {
    try (BytesStreamOutput out = new BytesStreamOutput()) {
      out.write(new byte[7]);
      answer.writeTo(out);
      out.write(new byte[5]);
      BytesRef all = out.bytes().toBytesRef();
      return new AggregationBytes(
          new BytesRef(all.bytes, all.offset + 7, all.length - 12),
          Version.CURRENT,
          REGISTRIES.writeables());
    }
  }

  static AggregationBytes bytes(InternalAggregation... answer) throws IOException {
    return bytes(InternalAggregations.from(List.of(answer)));
  }

  static InternalAggregations read(AggregationBytes answer) throws IOException {
    return InternalAggregations.readFrom(answer.openInput());
  }

  static ReduceContext context(IntConsumer buckets) {
    return ReduceContext.forFinalReduction(null, null, buckets, PipelineTree.EMPTY);
  }

  static String text(InternalAggregations reduced) throws IOException {
    try (XContentBuilder json = JsonXContent.contentBuilder()) {
      json.startObject();
      reduced.toXContent(json, new ToXContent.MapParams(Map.of("typed_keys", "true")));
      json.endObject();
      return BytesReference.bytes(json).utf8ToString();
    }
  }
}
