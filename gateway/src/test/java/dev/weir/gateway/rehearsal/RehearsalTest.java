package dev.weir.gateway.rehearsal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.gateway.Gateway;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * That what was recorded still is what the gateway asks for. When this fails because requests have
 * changed, record anew: see the test {@code RecordRehearsalIT}.
 */
class RehearsalTest {
  @Test
  void everySceneEndsAsItDidWithARealNode() throws Exception {
    assertThat(Rehearsal.play(Gateway::start, 0)).isEmpty();
  }

  @Test
  void everySceneButTheBrokenOneIsInTheRecording() throws Exception {
    assertThat(Recording.load().answers().keySet())
        .extracting(WireFrame.Key::scene)
        .containsAll(
            Scene.all().stream().filter(scene -> scene.status() == 200).map(Scene::name).toList());
  }

  @Test
  void aRecordingIsReadAsItWasWritten() throws IOException {
    WireFrame.Key key = new WireFrame.Key("action", "scene", 7);
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    new Recording(Map.of(key, new WireFrame(new byte[] {'E', 'S', 1}))).write(file);

    Recording read = Recording.read(new ByteArrayInputStream(file.toByteArray()));

    assertThat(read.answers()).containsOnlyKeys(key);
    assertThat(read.answers().values())
        .singleElement()
        .satisfies(frame -> assertThat(frame.bytes()).containsExactly('E', 'S', 1));
  }
}
