package dev.weir.gateway.rehearsal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.gateway.Gateway;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * The recording still matches the gateway's requests. When this fails because requests have
 * changed, record again with the test {@code RecordRehearsalIT}.
 */
class RehearsalTest {
  @Test
  void endEverySceneAsWithARealNode() throws Exception {
    assertThat(Rehearsal.run(Gateway::start, 0)).isEmpty();
  }

  @Test
  void recordEverySceneExceptTheBrokenOne() throws Exception {
    assertThat(TransportRecording.load().answers().keySet())
        .extracting(RecordedFrame.Key::requestName)
        .containsAll(
            RehearsalRequest.allRequests().stream()
                .filter(scene -> scene.status() == 200)
                .map(RehearsalRequest::name)
                .toList());
  }

  @Test
  void readARecordingAsWritten() throws IOException {
    RecordedFrame.Key key = new RecordedFrame.Key("action", "scene", 7);
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    new TransportRecording(Map.of(key, new RecordedFrame(new byte[] {'E', 'S', 1}))).write(file);

    TransportRecording read = TransportRecording.read(new ByteArrayInputStream(file.toByteArray()));

    assertThat(read.answers()).containsOnlyKeys(key);
    assertThat(read.answers().values())
        .singleElement()
        .satisfies(frame -> assertThat(frame.bytes()).containsExactly('E', 'S', 1));
  }
}
