package dev.weir.node.codec;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.apache.lucene.codecs.Codec;
import org.apache.lucene.codecs.lucene104.Lucene104Codec;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.NumericDocValuesField;
import org.apache.lucene.document.StoredField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.index.CodecReader;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.NoMergePolicy;
import org.apache.lucene.index.StoredFields;
import org.apache.lucene.index.TieredMergePolicy;
import org.apache.lucene.store.Directory;
import org.apache.lucene.util.Bits;
import org.apache.lucene.util.BytesRef;

/** Documents like log lines, and how to index and read them. */
final class ZstdIndex {
  private static final String[] WORDS = {
    "connection", "refused", "timeout", "retry", "cache", "miss", "order", "shipped", "payment"
  };

  private ZstdIndex() {}

  static Codec codec(ChunkSize size, int level) {
    return new ZstdCodec(new Lucene104Codec(), new ZstdStoredFieldsFormat(size, level));
  }

  /** Merges only when asked to. */
  static IndexWriterConfig config(Codec codec) {
    return new IndexWriterConfig()
        .setCodec(codec)
        .setUseCompoundFile(false)
        .setMergePolicy(NoMergePolicy.INSTANCE);
  }

  static IndexWriterConfig merging(Codec codec) {
    TieredMergePolicy policy = new TieredMergePolicy();
    policy.setNoCFSRatio(0);
    return config(codec).setMergePolicy(policy);
  }

  /** Returns a document of about 300 bytes, the same for each id. */
  static Document document(int id) {
    SplittableRandom random = new SplittableRandom(id * 7919L);
    StringBuilder source = new StringBuilder("{\"@timestamp\":\"2026-03-01T00:00:");
    source.append(10 + random.nextInt(50)).append("Z\",\"host\":\"web-").append(random.nextInt(40));
    source.append(".example.net\",\"trace\":\"").append(Long.toHexString(random.nextLong()));
    source
        .append("\",\"agent\":\"Mozilla/5.0 (X11; Linux x86_64) Chrome/1")
        .append(random.nextInt(40));
    source.append("\",\"status\":").append(200 + random.nextInt(5)).append(",\"message\":\"");
    for (int i = random.nextInt(8, 20); i > 0; i--) {
      source
          .append(WORDS[random.nextInt(WORDS.length)])
          .append(' ')
          .append(random.nextInt(100))
          .append(' ');
    }
    Document document = new Document();
    document.add(new StringField("id", "" + id, Field.Store.YES));
    document.add(new NumericDocValuesField("order", random.nextInt(1000)));
    document.add(new StoredField("_source", new BytesRef(source.append("\"}"))));
    document.add(new StoredField("number", id));
    return document;
  }

  static void add(IndexWriter writer, int from, int to) throws IOException {
    for (int id = from; id < to; id++) {
      writer.addDocument(document(id));
    }
  }

  /** Returns the source of each document that is not deleted, by id. */
  static Map<Integer, String> read(Directory directory) throws IOException {
    Map<Integer, String> all = new TreeMap<>();
    try (DirectoryReader reader = DirectoryReader.open(directory)) {
      for (LeafReaderContext leaf : reader.leaves()) {
        StoredFields fields = leaf.reader().storedFields();
        Bits live = leaf.reader().getLiveDocs();
        for (int i = 0; i < leaf.reader().maxDoc(); i++) {
          if (live == null || live.get(i)) {
            Document document = fields.document(i);
            all.put(
                document.getField("number").numericValue().intValue(),
                document.getBinaryValue("_source").utf8ToString());
          }
        }
      }
    }
    return all;
  }

  static Map<Integer, String> expected(int from, int to) {
    Map<Integer, String> all = new TreeMap<>();
    for (int id = from; id < to; id++) {
      all.put(id, document(id).getBinaryValue("_source").utf8ToString());
    }
    return all;
  }

  /** Returns the modes of the segments, oldest segment first. */
  static List<ZstdMode> modes(DirectoryReader reader) {
    List<ZstdMode> modes = new ArrayList<>();
    for (LeafReaderContext leaf : reader.leaves()) {
      CodecReader segment = (CodecReader) leaf.reader();
      modes.add(((ZstdStoredFieldsReader) segment.getFieldsReader()).mode());
    }
    return modes;
  }
}
