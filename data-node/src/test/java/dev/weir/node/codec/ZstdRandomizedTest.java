package dev.weir.node.codec;

import com.carrotsearch.randomizedtesting.annotations.ThreadLeakFilters;
import org.apache.lucene.codecs.Codec;
import org.apache.lucene.codecs.lucene104.Lucene104Codec;
import org.apache.lucene.tests.index.BaseStoredFieldsFormatTestCase;
import org.apache.lucene.tests.util.LuceneTestCase.SuppressSysoutChecks;

/** Lucene's own random tests of stored fields, with random chunk sizes and levels. */
@ThreadLeakFilters(defaultFilters = true)
@SuppressSysoutChecks(bugUrl = "the build's own output")
public final class ZstdRandomizedTest extends BaseStoredFieldsFormatTestCase {
  @Override
  protected Codec getCodec() {
    ChunkSize size = random().nextBoolean() ? ChunkSize.SMALL : ChunkSize.LARGE;
    return new ZstdCodec(
        new Lucene104Codec(), new ZstdStoredFieldsFormat(size, 1 + random().nextInt(6)));
  }
}
