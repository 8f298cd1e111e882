package dev.weir.node.codec;

import com.carrotsearch.randomizedtesting.annotations.ThreadLeakFilters;
import java.io.IOException;
import org.apache.lucene.codecs.Codec;
import org.apache.lucene.codecs.lucene104.Lucene104Codec;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.StoredField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.SegmentCommitInfo;
import org.apache.lucene.index.SegmentInfos;
import org.apache.lucene.store.Directory;
import org.apache.lucene.tests.index.BaseStoredFieldsFormatTestCase;
import org.apache.lucene.tests.util.LuceneTestCase.SuppressSysoutChecks;

/** Lucene's own random tests of stored fields, with random chunk sizes and levels. */
@ThreadLeakFilters(defaultFilters = true)
@SuppressSysoutChecks(bugUrl = "the build's own output")
public final class ZstdRandomizedTest extends BaseStoredFieldsFormatTestCase {
  /** What the inherited tests write is written by the plugin's codec. */
  public void testWritesTheCodecOfThePlugin() throws IOException {
    try (Directory directory = newDirectory();
        IndexWriter writer = new IndexWriter(directory, newIndexWriterConfig())) {
      Document document = new Document();
      document.add(new StoredField("f", "stored"));
      writer.addDocument(document);
      writer.commit();
      for (SegmentCommitInfo segment : SegmentInfos.readLatestCommit(directory)) {
        assertTrue(segment.toString(), segment.info.getCodec() instanceof ZstdCodec);
      }
      try (DirectoryReader reader = DirectoryReader.open(writer)) {
        assertEquals("stored", reader.storedFields().document(0).get("f"));
      }
    }
  }

  @Override
  protected Codec getCodec() {
    ChunkSize size = random().nextBoolean() ? ChunkSize.SMALL : ChunkSize.LARGE;
    return new ZstdCodec(
        new Lucene104Codec(), new ZstdStoredFieldsFormat(size, 1 + random().nextInt(6)));
  }
}
