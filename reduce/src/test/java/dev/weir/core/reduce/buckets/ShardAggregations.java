package dev.weir.core.reduce.buckets;

import dev.weir.core.reduce.terms.AggregationBytes;
import dev.weir.protocol.FrameStreamInput;
import dev.weir.protocol.registry.OpenSearchRegistries;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.apache.lucene.util.BytesRef;
import org.jspecify.annotations.Nullable;
import org.opensearch.Version;
import org.opensearch.common.Rounding;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.NamedWriteable;
import org.opensearch.core.common.io.stream.StreamOutput;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.search.DocValueFormat;
import org.opensearch.search.aggregations.BucketOrder;
import org.opensearch.search.aggregations.InternalAggregation;
import org.opensearch.search.aggregations.InternalAggregations;
import org.opensearch.search.aggregations.InternalOrder;
import org.opensearch.search.aggregations.bucket.histogram.DateHistogramAggregationBuilder;
import org.opensearch.search.aggregations.bucket.histogram.HistogramAggregationBuilder;
import org.opensearch.search.aggregations.bucket.histogram.LongBounds;

/** Makes aggregations as a node sends them, from their bytes. */
final class ShardAggregations {
  static final OpenSearchRegistries REGISTRIES = OpenSearchRegistries.create();

  private ShardAggregations() {}

  /** A bucket; the key is a long or a double. */
  record Bucket(Number key, long docCount, InternalAggregations aggregations) {}

  /**
   * What all shards of a histogram have in common.
   *
   * @param filling how gaps are filled; null unless {@code minDocCount} is zero
   */
  record Head(
      String name,
      @Nullable Map<String, Object> metadata,
      BucketOrder order,
      long minDocCount,
      @Nullable Writeable filling,
      DocValueFormat format,
      boolean keyed) {}

  static Writeable dateFilling(
      Rounding rounding, InternalAggregations empty, @Nullable LongBounds bounds) {
    return out -> {
      rounding.writeTo(out);
      empty.writeTo(out);
      out.writeOptionalWriteable(bounds);
    };
  }

  static Writeable filling(
      double interval, double offset, double min, double max, InternalAggregations empty) {
    return out -> {
      out.writeDouble(interval);
      out.writeDouble(offset);
      out.writeDouble(min);
      out.writeDouble(max);
      empty.writeTo(out);
    };
  }

  static InternalAggregation dates(Head head, long offset, List<Bucket> buckets)
      throws IOException {
    return read(
        DateHistogramAggregationBuilder.NAME,
        out -> {
          write(head, out);
          out.writeLong(offset);
          writeBuckets(head, buckets, out);
        });
  }

  static InternalAggregation numbers(Head head, List<Bucket> buckets) throws IOException {
    return read(
        HistogramAggregationBuilder.NAME,
        out -> {
          write(head, out);
          writeBuckets(head, buckets, out);
        });
  }

  static InternalAggregation single(
      String type, String name, long docCount, InternalAggregations below) throws IOException {
    return read(
        type,
        out -> {
          out.writeString(name);
          out.writeMap(null);
          out.writeVLong(docCount);
          below.writeTo(out);
        });
  }

  private static void write(Head head, StreamOutput out) throws IOException {
    out.writeString(head.name);
    out.writeMap(head.metadata);
    InternalOrder.Streams.writeHistogramOrder(head.order, out, false);
    out.writeVLong(head.minDocCount);
    if (head.filling != null) {
      head.filling.writeTo(out);
    }
  }

  private static void writeBuckets(Head head, List<Bucket> buckets, StreamOutput out)
      throws IOException {
    out.writeNamedWriteable(head.format);
    out.writeBoolean(head.keyed);
    out.writeVInt(buckets.size());
    for (Bucket bucket : buckets) {
      if (bucket.key instanceof Long date) {
        out.writeLong(date);
      } else {
        out.writeDouble(bucket.key.doubleValue());
      }
      out.writeVLong(bucket.docCount);
      bucket.aggregations.writeTo(out);
    }
  }

  /** Reads an aggregation that has no public constructor. */
  static InternalAggregation read(String type, Writeable content) throws IOException {
    NamedWriteable named =
        new NamedWriteable() {
          @Override
          public String getWriteableName() {
            return type;
          }

          @Override
          public void writeTo(StreamOutput out) throws IOException {
            content.writeTo(out);
          }
        };
    try (BytesStreamOutput out = new BytesStreamOutput()) {
      out.writeNamedWriteable(named);
      FrameStreamInput in =
          new FrameStreamInput(
              new BytesArray(BytesReference.toBytes(out.bytes())),
              Version.CURRENT,
              REGISTRIES.writeables(),
              true);
      return in.readNamedWriteable(InternalAggregation.class);
    }
  }

  /** As a frame has them: neither at the array's start nor at its end. */
  static AggregationBytes bytes(InternalAggregations answer, Version version) throws IOException {
    try (BytesStreamOutput out = new BytesStreamOutput()) {
      out.setVersion(version);
      out.write(new byte[7]);
      answer.writeTo(out);
      out.write(new byte[5]);
      BytesRef all = BytesRef.deepCopyOf(out.bytes().toBytesRef());
      return new AggregationBytes(
          new BytesRef(all.bytes, all.offset + 7, all.length - 12),
          version,
          REGISTRIES.writeables());
    }
  }

  static InternalAggregations read(AggregationBytes answer) throws IOException {
    return InternalAggregations.readFrom(answer.openInput());
  }
}
