/**
 * REST requests into OpenSearch's action requests and back, by OpenSearch's own REST handlers:
 * parameters, bodies, errors, filter_path, pretty and content types are theirs. Runs on the
 * exchange's home; hands each action to an {@link dev.weir.rest.ActionExecutor}.
 *
 * <pre>
 *   HttpExchange -> RestDispatcher -> RestController -> CoordinatedRestHandler -> GatewayNodeClient -> ActionExecutor
 *   BufferedResponse    <- ExchangeRestChannel  <-  OpenSearch's response listener <- the action's outcome
 * </pre>
 *
 * {@link dev.weir.rest.RestExchange} is one request on that way; it keeps the thread context in
 * which OpenSearch's classes find the request's headers and leave warnings for its answer.
 *
 * <p>A large bulk may be carried out while it comes: {@code BulkSectionSplitter} says where its
 * body can be cut, {@code StreamingBulkSession} has the sections carried out, {@code
 * StreamingBulkResponse} keeps what they come to.
 */
@NullMarked
package dev.weir.rest;

import org.jspecify.annotations.NullMarked;
