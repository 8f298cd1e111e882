package dev.weir.core.reduce.buckets;

import dev.weir.core.reduce.terms.AggregationBytes;
import dev.weir.protocol.FrameStreamInput;
import dev.weir.protocol.registry.OpenSearchRegistries;
import java.io.IOException;
import java.time.ZoneId;
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
import org.opensearch.search.aggregations.bucket.composite.CompositeAggregationBuilder;
import org.opensearch.search.aggregations.bucket.histogram.AutoDateHistogramAggregationBuilder;
import org.opensearch.search.aggregations.bucket.histogram.AutoDateHistogramAggregationBuilder.RoundingInfo;
import org.opensearch.search.aggregations.bucket.histogram.DateHistogramAggregationBuilder;
import org.opensearch.search.aggregations.bucket.histogram.HistogramAggregationBuilder;
import org.opensearch.search.aggregations.bucket.histogram.LongBounds;
import org.opensearch.search.aggregations.bucket.missing.MissingOrder;

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

  /**
   * What describes a histogram of dates with automatic intervals.
   *
   * @param unit the index of the interval that the shard chose
   * @param target the most buckets of the response
   * @param empty the contents of buckets in gaps
   */
  record AutoHead(String name, ZoneId zone, int unit, int target, InternalAggregations empty) {}

  private static List<RoundingInfo> roundings(ZoneId zone) {
    return List.of(
        new RoundingInfo(Rounding.DateTimeUnit.HOUR_OF_DAY, zone, 3_600_000L, "h", 1, 3, 12),
        new RoundingInfo(Rounding.DateTimeUnit.DAY_OF_MONTH, zone, 86_400_000L, "d", 1, 7),
        new RoundingInfo(Rounding.DateTimeUnit.MONTH_OF_YEAR, zone, 2_628_000_000L, "M", 1, 3),
        new RoundingInfo(Rounding.DateTimeUnit.YEAR_OF_CENTURY, zone, 31_536_000_000L, "y", 1, 5));
  }

  /** Rounds a date to hours (0) or days (1). */
  static long round(ZoneId zone, int unit, long at) {
    return Rounding.builder(
            unit == 0 ? Rounding.DateTimeUnit.HOUR_OF_DAY : Rounding.DateTimeUnit.DAY_OF_MONTH)
        .timeZone(zone)
        .build()
        .prepareForUnknown()
        .round(at);
  }

  static InternalAggregation autoDates(AutoHead head, List<Bucket> buckets) throws IOException {
    return read(
        AutoDateHistogramAggregationBuilder.NAME,
        out -> {
          out.writeString(head.name);
          out.writeMap(null);
          out.writeList(roundings(head.zone));
          out.writeVInt(head.unit);
          head.empty.writeTo(out);
          out.writeNamedWriteable(DocValueFormat.RAW);
          writeBuckets(buckets, out);
          out.writeVInt(head.target);
        });
  }

  static InternalAggregation composite(String name, int size, List<Bucket> buckets)
      throws IOException {
    return read(
        CompositeAggregationBuilder.NAME,
        out -> {
          out.writeString(name);
          out.writeMap(null);
          out.writeVInt(size);
          out.writeStringCollection(List.of("k"));
          out.writeNamedWriteable(DocValueFormat.RAW);
          out.writeIntArray(new int[] {1});
          out.writeArray(
              (to, order) -> order.writeTo(to), new MissingOrder[] {MissingOrder.DEFAULT});
          out.writeVInt(buckets.size());
          for (Bucket bucket : buckets) {
            out.writeArray(StreamOutput::writeGenericValue, new Object[] {bucket.key});
            out.writeVLong(bucket.docCount);
            bucket.aggregations.writeTo(out);
          }
          out.writeBoolean(!buckets.isEmpty());
          if (!buckets.isEmpty()) {
            out.writeArray(StreamOutput::writeGenericValue, new Object[] {buckets.getLast().key});
          }
          out.writeBoolean(false); // terminated early
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
    writeBuckets(buckets, out);
  }

  private static void writeBuckets(List<Bucket> buckets, StreamOutput out) throws IOException {
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
