package dev.weir.bluegreen.shadow;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weir.model.AnswerParts;
import dev.weir.model.HttpExchange;
import java.nio.ByteBuffer;

/** A request that went to a node of the other cluster. */
final class SentToNode {
  final HttpExchange request;
  final AnswerParts answer;
  boolean stopped;

  SentToNode(HttpExchange request, AnswerParts answer) {
    this.request = request;
    this.answer = answer;
  }

  void answer(int status, String body) {
    answer.head(status, "application/json", "");
    answer.content(ByteBuffer.wrap(body.getBytes(UTF_8)));
    answer.end();
  }
}
