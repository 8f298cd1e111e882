package dev.weir.bluegreen.shadow;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weir.model.HttpExchange;
import dev.weir.model.NodeResponseListener;
import java.nio.ByteBuffer;

/** A request that was sent to a node of the other cluster. */
final class CapturedNodeRequest {
  final HttpExchange request;
  final NodeResponseListener answer;
  boolean stopped;

  CapturedNodeRequest(HttpExchange request, NodeResponseListener answer) {
    this.request = request;
    this.answer = answer;
  }

  void answer(int status, String body) {
    answer.onHead(status, "application/json", "");
    answer.onContent(ByteBuffer.wrap(body.getBytes(UTF_8)));
    answer.onComplete();
  }
}
