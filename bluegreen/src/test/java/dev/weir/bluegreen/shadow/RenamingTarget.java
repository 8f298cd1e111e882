package dev.weir.bluegreen.shadow;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weir.model.RequestHandler;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A cluster that has another name for the index logs, also in bodies of multi-gets. */
record RenamingTarget(RequestHandler handler, ShadowTarget.PassThroughSender passThroughSender)
    implements ShadowTarget {
  @Override
  public String cluster() {
    return "renaming";
  }

  @Override
  public boolean hasRenamedBodyIndices(String askedUri) {
    return askedUri.contains("_mget");
  }

  @Override
  public @Nullable ByteBuffer translateBody(
      String askedUri, List<Map.Entry<String, String>> headers, ByteBuffer asked) {
    String renamed =
        UTF_8
            .decode(asked)
            .toString()
            .replace("logs", "logs-of-green")
            .replace("a-long-name ", "n");
    return renamed.contains("*") ? null : ByteBuffer.wrap(renamed.getBytes(UTF_8));
  }
}
