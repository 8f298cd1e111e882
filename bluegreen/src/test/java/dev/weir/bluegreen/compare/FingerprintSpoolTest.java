package dev.weir.bluegreen.compare;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FingerprintSpoolTest {
  @TempDir private Path scratch;

  @Test
  void spoolEachDocumentOnce() throws Exception {
    List<DocumentFingerprint> written = new ArrayList<>();
    List<DocumentFingerprint> read = new ArrayList<>();
    try (FingerprintSpool spool = new FingerprintSpool(scratch, "x", 3)) {
      for (int id = 0; id < 100; id++) {
        DocumentFingerprint document =
            new DocumentFingerprint(
                "logs", "ü" + id, id % 2 == 0 ? null : "r", id, new SourceHash(id, -id));
        written.add(document);
        spool.add(document);
      }
      spool.finish();
      for (int part = 0; part < 3; part++) {
        int before = read.size();
        spool.drain(part, read::add);
        assertThat(read.size() - before).isPositive();
      }
    }
    assertThat(read).containsExactlyInAnyOrderElementsOf(written);
  }
}
