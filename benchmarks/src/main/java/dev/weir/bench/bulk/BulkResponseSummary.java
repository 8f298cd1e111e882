package dev.weir.bench.bulk;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The outcome of each document of a bulk.
 *
 * @param ids by document; empty for one that was not written
 * @param writtenCount documents
 * @param rejectedCount documents with status 429, of the item or of the whole bulk
 * @param error the beginning of the first failure other than a rejection; may be empty
 */
record BulkResponseSummary(List<String> ids, int writtenCount, int rejectedCount, String error) {
  private static final int TOO_MANY_REQUESTS = 429;
  private static final int SUCCESSES_BELOW = 300;
  private static final int MAX_SHOWN = 300;
  private static final String ID = "\"_id\":";

  /** The numeric status of an item; the status of a failed copy is a word. */
  private static final Pattern STATUS = Pattern.compile("\"status\":(\\d{3})");

  /** Returns the number of documents that were neither written nor rejected. */
  int failedCount() {
    return ids.size() - writtenCount - rejectedCount;
  }

  /** Reads a response. */
  static BulkResponseSummary parse(int status, String body, int documents) {
    if (status == TOO_MANY_REQUESTS) {
      return new BulkResponseSummary(Collections.nCopies(documents, ""), 0, documents, "");
    }
    return status < SUCCESSES_BELOW
        ? parseItems(body, documents)
        : failure(documents, status + " " + truncate(body, 0));
  }

  /** Creates the summary of a bulk without a response for any document. */
  static BulkResponseSummary failure(int documents, String complaint) {
    return new BulkResponseSummary(Collections.nCopies(documents, ""), 0, 0, complaint);
  }

  private static BulkResponseSummary parseItems(String body, int documents) {
    List<String> ids = new ArrayList<>(documents);
    int written = 0;
    int rejected = 0;
    String complaint = "";
    Matcher statuses = STATUS.matcher(body);
    int at = 0;
    for (int i = 0; i < documents; i++) {
      int idAt = body.indexOf(ID, at);
      if (idAt < 0 || !statuses.find(idAt)) {
        throw new IllegalStateException(
            "got an answer of " + i + " items (expected: " + documents + "): " + body);
      }
      at = statuses.end();
      int status = Integer.parseInt(statuses.group(1));
      String id = "";
      if (status < SUCCESSES_BELOW) {
        int begin = idAt + ID.length() + 1;
        id = body.substring(begin, body.indexOf('"', begin));
        written++;
      } else if (status == TOO_MANY_REQUESTS) {
        rejected++;
      } else if (complaint.isEmpty()) {
        complaint = truncate(body, idAt);
      }
      ids.add(id);
    }
    return new BulkResponseSummary(ids, written, rejected, complaint);
  }

  private static String truncate(String body, int from) {
    return body.substring(from, Math.min(body.length(), from + MAX_SHOWN));
  }
}
