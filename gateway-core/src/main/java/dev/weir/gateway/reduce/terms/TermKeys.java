package dev.weir.gateway.reduce.terms;

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

/** The keys of one shard's buckets, in the order of the buckets. */
sealed interface TermKeys {
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

  /** Makes a bucket; what it has of the key does not lie in the answer's frame. */
  InternalTerms.Bucket<?> bucket(
      int bucket, long docCount, InternalAggregations aggregations, DocValueFormat format);

  /** Whole numbers. */
  record Longs(long[] keys) implements TermKeys {
    @Override
    public void read(int bucket, FrameInput in) throws IOException {
      keys[bucket] = in.readLong();
    }

    @Override
    public int compare(int bucket, TermKeys others, int other) {
      return Long.compare(keys[bucket], ((Longs) others).keys[other]);
    }

    @Override
    public InternalTerms.Bucket<?> bucket(
        int bucket, long docCount, InternalAggregations aggregations, DocValueFormat format) {
      return new LongTerms.Bucket(keys[bucket], docCount, aggregations, false, -1, format);
    }
  }

  /** Numbers with fractions. */
  record Doubles(double[] keys) implements TermKeys {
    @Override
    public void read(int bucket, FrameInput in) throws IOException {
      keys[bucket] = in.readDouble();
    }

    @Override
    public int compare(int bucket, TermKeys others, int other) {
      return Double.compare(keys[bucket], ((Doubles) others).keys[other]);
    }

    @Override
    public InternalTerms.Bucket<?> bucket(
        int bucket, long docCount, InternalAggregations aggregations, DocValueFormat format) {
      return new DoubleTerms.Bucket(keys[bucket], docCount, aggregations, false, -1, format);
    }
  }

  /** Strings, and what is kept as such; they stay where they are. */
  record Texts(BytesRef bytes, int[] from, int[] length) implements TermKeys {
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
    public InternalTerms.Bucket<?> bucket(
        int bucket, long docCount, InternalAggregations aggregations, DocValueFormat format) {
      int at = from[bucket];
      BytesRef key = new BytesRef(Arrays.copyOfRange(bytes.bytes, at, at + length[bucket]));
      return new StringTerms.Bucket(key, docCount, aggregations, false, -1, format);
    }
  }
}
