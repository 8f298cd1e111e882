package dev.weir.core.reduce.terms;

import dev.weir.model.JsonBuffer;
import dev.weir.protocol.FrameStreamInput;
import java.io.IOException;
import java.util.Arrays;
import org.apache.lucene.util.BytesRef;
import org.opensearch.search.DocValueFormat;
import org.opensearch.search.aggregations.InternalAggregations;
import org.opensearch.search.aggregations.bucket.terms.DoubleTerms;
import org.opensearch.search.aggregations.bucket.terms.InternalTerms;
import org.opensearch.search.aggregations.bucket.terms.LongTerms;
import org.opensearch.search.aggregations.bucket.terms.StringTerms;
import tools.jackson.core.io.JsonStringEncoder;

/** The keys of one shard's buckets, in bucket order. */
sealed interface TermKeys {
  /** Returns whether keys of this aggregation type are supported. */
  static boolean isSupported(String type) {
    return type.equals(LongTerms.NAME)
        || type.equals(DoubleTerms.NAME)
        || type.equals(StringTerms.NAME);
  }

  /** Creates empty keys for an aggregation type. */
  static TermKeys create(String type, int count, AggregationBytes window) throws IOException {
    return switch (type) {
      case LongTerms.NAME -> new LongKeys(new long[count]);
      case DoubleTerms.NAME -> new DoubleKeys(new double[count]);
      case StringTerms.NAME -> new StringKeys(window.bytes(), new int[count], new int[count]);
      default ->
          throw new IOException("got an aggregation of type [" + type + "] (expected: terms)");
    };
  }

  /** Reads the key of a bucket. */
  void read(int bucket, FrameStreamInput in) throws IOException;

  /** Compares a key with one of another shard of the same type. */
  int compare(int bucket, TermKeys others, int other);

  /** Returns the chosen keys in that order, copied out of the shards' frames. */
  TermKeys select(MergedTerms merged, int[] chosen);

  /** Returns the heap bytes that the keys take in addition to the frame. */
  long heapBytes();

  /** Writes a key as JSON in the plain format. */
  void write(int bucket, JsonBuffer json);

  /** Creates a bucket object that does not refer to the frame. */
  InternalTerms.Bucket<?> createBucket(
      int bucket, long docCount, InternalAggregations aggregations, DocValueFormat format);

  /** Returns the keys of the first shard that has a chosen key. */
  private static TermKeys keysOf(MergedTerms merged, int key) {
    return merged.shard(key, 0).keys();
  }

  /** Keys that are whole numbers. */
  final class LongKeys implements TermKeys {
    private final long[] keys;

    LongKeys(long[] keys) {
      this.keys = keys;
    }

    @Override
    public void read(int bucket, FrameStreamInput in) throws IOException {
      keys[bucket] = in.readLong();
    }

    @Override
    public int compare(int bucket, TermKeys others, int other) {
      return Long.compare(keys[bucket], ((LongKeys) others).keys[other]);
    }

    @Override
    public TermKeys select(MergedTerms merged, int[] chosen) {
      long[] picked = new long[chosen.length];
      for (int i = 0; i < picked.length; i++) {
        picked[i] = ((LongKeys) keysOf(merged, chosen[i])).keys[merged.bucket(chosen[i], 0)];
      }
      return new LongKeys(picked);
    }

    @Override
    public long heapBytes() {
      return (long) Long.BYTES * keys.length;
    }

    @Override
    public void write(int bucket, JsonBuffer json) {
      json.writeNumber(keys[bucket]);
    }

    @Override
    public InternalTerms.Bucket<?> createBucket(
        int bucket, long docCount, InternalAggregations aggregations, DocValueFormat format) {
      return new LongTerms.Bucket(keys[bucket], docCount, aggregations, false, -1, format);
    }
  }

  /** Keys that are floating-point numbers. */
  final class DoubleKeys implements TermKeys {
    private final double[] keys;

    DoubleKeys(double[] keys) {
      this.keys = keys;
    }

    @Override
    public void read(int bucket, FrameStreamInput in) throws IOException {
      keys[bucket] = in.readDouble();
    }

    @Override
    public int compare(int bucket, TermKeys others, int other) {
      return Double.compare(keys[bucket], ((DoubleKeys) others).keys[other]);
    }

    @Override
    public TermKeys select(MergedTerms merged, int[] chosen) {
      double[] picked = new double[chosen.length];
      for (int i = 0; i < picked.length; i++) {
        picked[i] = ((DoubleKeys) keysOf(merged, chosen[i])).keys[merged.bucket(chosen[i], 0)];
      }
      return new DoubleKeys(picked);
    }

    @Override
    public long heapBytes() {
      return (long) Double.BYTES * keys.length;
    }

    @Override
    public void write(int bucket, JsonBuffer json) {
      json.writeNumber(keys[bucket]);
    }

    @Override
    public InternalTerms.Bucket<?> createBucket(
        int bucket, long docCount, InternalAggregations aggregations, DocValueFormat format) {
      return new DoubleTerms.Bucket(keys[bucket], docCount, aggregations, false, -1, format);
    }
  }

  /** Keys that are stored as bytes, such as strings; they stay in the frame. */
  final class StringKeys implements TermKeys {
    private final BytesRef bytes;
    private final int[] offsets;
    private final int[] lengths;

    StringKeys(BytesRef bytes, int[] from, int[] length) {
      this.bytes = bytes;
      this.offsets = from;
      this.lengths = length;
    }

    @Override
    public void read(int bucket, FrameStreamInput in) throws IOException {
      int bytes = in.readVInt();
      offsets[bucket] = this.bytes.offset + in.position();
      lengths[bucket] = bytes;
      if (bytes < 0 || in.skip(bytes) != bytes) {
        throw new IOException(
            "got a key of " + bytes + " bytes (expected: no more than there are)");
      }
    }

    @Override
    public int compare(int bucket, TermKeys others, int other) {
      StringKeys texts = (StringKeys) others;
      int one = offsets[bucket];
      int two = texts.offsets[other];
      return Arrays.compareUnsigned(
          bytes.bytes,
          one,
          one + lengths[bucket],
          texts.bytes.bytes,
          two,
          two + texts.lengths[other]);
    }

    @Override
    public TermKeys select(MergedTerms merged, int[] chosen) {
      int[] starts = new int[chosen.length];
      int[] lengths = new int[chosen.length];
      int all = 0;
      for (int i = 0; i < chosen.length; i++) {
        starts[i] = all;
        lengths[i] = ((StringKeys) keysOf(merged, chosen[i])).lengths[merged.bucket(chosen[i], 0)];
        all = Math.addExact(all, lengths[i]);
      }
      byte[] picked = new byte[all];
      for (int i = 0; i < chosen.length; i++) {
        StringKeys texts = (StringKeys) keysOf(merged, chosen[i]);
        int start = texts.offsets[merged.bucket(chosen[i], 0)];
        System.arraycopy(texts.bytes.bytes, start, picked, starts[i], lengths[i]);
      }
      return new StringKeys(new BytesRef(picked), starts, lengths);
    }

    @Override
    public long heapBytes() {
      return bytes.length + 2L * Integer.BYTES * offsets.length;
    }

    @Override
    public void write(int bucket, JsonBuffer json) {
      int start = offsets[bucket];
      json.write('"');
      if (JsonBuffer.isPlain(bytes.bytes, start, lengths[bucket])) {
        json.write(bytes.bytes, start, lengths[bucket]);
      } else {
        String text = new BytesRef(bytes.bytes, start, lengths[bucket]).utf8ToString();
        json.write(JsonStringEncoder.getInstance().quoteAsUTF8(text));
      }
      json.write('"');
    }

    @Override
    public InternalTerms.Bucket<?> createBucket(
        int bucket, long docCount, InternalAggregations aggregations, DocValueFormat format) {
      int at = offsets[bucket];
      BytesRef key = new BytesRef(Arrays.copyOfRange(bytes.bytes, at, at + lengths[bucket]));
      return new StringTerms.Bucket(key, docCount, aggregations, false, -1, format);
    }
  }
}
