package dev.weir.core.reduce.terms;

import dev.weir.core.reduce.json.PlainJson;
import dev.weir.protocol.FrameInput;
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

/** The keys of one shard's buckets, in the order of the buckets. */
sealed interface TermKeys {
  /** Whether aggregations of a type have keys that are known here. */
  static boolean knows(String type) {
    return type.equals(LongTerms.NAME)
        || type.equals(DoubleTerms.NAME)
        || type.equals(StringTerms.NAME);
  }

  /** Those of aggregations of a type, as many as given, to be read. */
  static TermKeys named(String type, int count, Window window) throws IOException {
    return switch (type) {
      case LongTerms.NAME -> new Longs(new long[count]);
      case DoubleTerms.NAME -> new Doubles(new double[count]);
      case StringTerms.NAME -> new Texts(window.bytes(), new int[count], new int[count]);
      default ->
          throw new IOException("got an aggregation of type [" + type + "] (expected: terms)");
    };
  }

  /** Reads the key of a bucket. */
  void read(int bucket, FrameInput in) throws IOException;

  /** Compares a key with one of another shard, of the same type. */
  int compare(int bucket, TermKeys others, int other);

  /** Those of chosen buckets, in that order; they do not lie in the shards' answers any more. */
  TermKeys picked(MergedTerms merged, int[] chosen);

  /** How many bytes of memory they take of their own. */
  long heapBytes();

  /** Writes a key as JSON, where its format is the plain one. */
  void write(int bucket, PlainJson json);

  /** Makes a bucket; what it has of the key does not lie in the answer's frame. */
  InternalTerms.Bucket<?> bucket(
      int bucket, long docCount, InternalAggregations aggregations, DocValueFormat format);

  /** A chosen key's, in the first shard that has it. */
  private static TermKeys at(MergedTerms merged, int key) {
    return merged.shard(key, 0).keys();
  }

  /** Whole numbers. */
  final class Longs implements TermKeys {
    private final long[] keys;

    Longs(long[] keys) {
      this.keys = keys;
    }

    @Override
    public void read(int bucket, FrameInput in) throws IOException {
      keys[bucket] = in.readLong();
    }

    @Override
    public int compare(int bucket, TermKeys others, int other) {
      return Long.compare(keys[bucket], ((Longs) others).keys[other]);
    }

    @Override
    public TermKeys picked(MergedTerms merged, int[] chosen) {
      long[] picked = new long[chosen.length];
      for (int i = 0; i < picked.length; i++) {
        picked[i] = ((Longs) at(merged, chosen[i])).keys[merged.bucket(chosen[i], 0)];
      }
      return new Longs(picked);
    }

    @Override
    public long heapBytes() {
      return (long) Long.BYTES * keys.length;
    }

    @Override
    public void write(int bucket, PlainJson json) {
      json.put(keys[bucket]);
    }

    @Override
    public InternalTerms.Bucket<?> bucket(
        int bucket, long docCount, InternalAggregations aggregations, DocValueFormat format) {
      return new LongTerms.Bucket(keys[bucket], docCount, aggregations, false, -1, format);
    }
  }

  /** Numbers with fractions. */
  final class Doubles implements TermKeys {
    private final double[] keys;

    Doubles(double[] keys) {
      this.keys = keys;
    }

    @Override
    public void read(int bucket, FrameInput in) throws IOException {
      keys[bucket] = in.readDouble();
    }

    @Override
    public int compare(int bucket, TermKeys others, int other) {
      return Double.compare(keys[bucket], ((Doubles) others).keys[other]);
    }

    @Override
    public TermKeys picked(MergedTerms merged, int[] chosen) {
      double[] picked = new double[chosen.length];
      for (int i = 0; i < picked.length; i++) {
        picked[i] = ((Doubles) at(merged, chosen[i])).keys[merged.bucket(chosen[i], 0)];
      }
      return new Doubles(picked);
    }

    @Override
    public long heapBytes() {
      return (long) Double.BYTES * keys.length;
    }

    @Override
    public void write(int bucket, PlainJson json) {
      json.put(keys[bucket]);
    }

    @Override
    public InternalTerms.Bucket<?> bucket(
        int bucket, long docCount, InternalAggregations aggregations, DocValueFormat format) {
      return new DoubleTerms.Bucket(keys[bucket], docCount, aggregations, false, -1, format);
    }
  }

  /** Strings, and what is kept as such; they stay where they are. */
  final class Texts implements TermKeys {
    private final BytesRef bytes;
    private final int[] from;
    private final int[] length;

    Texts(BytesRef bytes, int[] from, int[] length) {
      this.bytes = bytes;
      this.from = from;
      this.length = length;
    }

    @Override
    public void read(int bucket, FrameInput in) throws IOException {
      int bytes = in.readVInt();
      from[bucket] = this.bytes.offset + in.position();
      length[bucket] = bytes;
      if (bytes < 0 || in.skip(bytes) != bytes) {
        throw new IOException(
            "got a key of " + bytes + " bytes (expected: no more than there are)");
      }
    }

    @Override
    public int compare(int bucket, TermKeys others, int other) {
      Texts texts = (Texts) others;
      int one = from[bucket];
      int two = texts.from[other];
      return Arrays.compareUnsigned(
          bytes.bytes,
          one,
          one + length[bucket],
          texts.bytes.bytes,
          two,
          two + texts.length[other]);
    }

    @Override
    public TermKeys picked(MergedTerms merged, int[] chosen) {
      int[] starts = new int[chosen.length];
      int[] lengths = new int[chosen.length];
      int all = 0;
      for (int i = 0; i < chosen.length; i++) {
        starts[i] = all;
        lengths[i] = ((Texts) at(merged, chosen[i])).length[merged.bucket(chosen[i], 0)];
        all = Math.addExact(all, lengths[i]);
      }
      byte[] picked = new byte[all];
      for (int i = 0; i < chosen.length; i++) {
        Texts texts = (Texts) at(merged, chosen[i]);
        int start = texts.from[merged.bucket(chosen[i], 0)];
        System.arraycopy(texts.bytes.bytes, start, picked, starts[i], lengths[i]);
      }
      return new Texts(new BytesRef(picked), starts, lengths);
    }

    @Override
    public long heapBytes() {
      return bytes.length + 2L * Integer.BYTES * from.length;
    }

    @Override
    public void write(int bucket, PlainJson json) {
      int start = from[bucket];
      json.put('"');
      if (PlainJson.isPlain(bytes.bytes, start, length[bucket])) {
        json.put(bytes.bytes, start, length[bucket]);
      } else {
        String text = new BytesRef(bytes.bytes, start, length[bucket]).utf8ToString();
        json.put(JsonStringEncoder.getInstance().quoteAsUTF8(text));
      }
      json.put('"');
    }

    @Override
    public InternalTerms.Bucket<?> bucket(
        int bucket, long docCount, InternalAggregations aggregations, DocValueFormat format) {
      int at = from[bucket];
      BytesRef key = new BytesRef(Arrays.copyOfRange(bytes.bytes, at, at + length[bucket]));
      return new StringTerms.Bucket(key, docCount, aggregations, false, -1, format);
    }
  }
}
