package dev.weir.node.generation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Objects;
import org.apache.lucene.document.Document;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.store.ByteBuffersDirectory;
import org.apache.lucene.store.Directory;
import org.junit.jupiter.api.Test;

final class ReaderNumbersTest {
  private final ReaderNumbers numbers = new ReaderNumbers();

  private long number(DirectoryReader reader) {
    return numbers.of(reader.getReaderCacheHelper());
  }

  @Test
  void aReaderKeepsItsNumberUntilItIsClosed() throws IOException {
    try (Directory directory = new ByteBuffersDirectory();
        IndexWriter writer = new IndexWriter(directory, new IndexWriterConfig())) {
      DirectoryReader first = DirectoryReader.open(writer);
      long number = number(first);
      assertThat(number(first)).isEqualTo(number);
      assertThat(DirectoryReader.openIfChanged(first)).isNull();
      writer.addDocument(new Document());
      DirectoryReader second = Objects.requireNonNull(DirectoryReader.openIfChanged(first));
      assertThat(number(second)).isGreaterThan(number);
      assertThat(number(first)).isEqualTo(number);
      assertThat(numbers.size()).isEqualTo(2);
      first.close();
      assertThat(numbers.size()).isOne();
      DirectoryReader same = DirectoryReader.open(writer); // another reader of the same documents
      assertThat(number(same)).isGreaterThan(number(second));
      second.close();
      same.close();
      assertThat(numbers.size()).isZero();
    }
  }

  @Test
  void eachRunHasAnIdOfItsOwn() {
    assertThat(numbers.nodeRun()).isNotEmpty().isNotEqualTo(new ReaderNumbers().nodeRun());
  }
}
