/**
 * Converts REST requests to OpenSearch's action requests, and responses back, with OpenSearch's own
 * REST handlers: parameters, bodies, errors, filter_path, pretty and content types are theirs. Runs
 * on the exchange's event loop; passes each action to an {@link dev.weir.rest.ActionExecutor}.
 *
 * <pre>
 *   HttpExchange -> RestDispatcher -> RestController -> CoordinatedRestHandler
 *     -> GatewayNodeClient -> ActionExecutor
 *   BufferedResponse <- ExchangeRestChannel <- OpenSearch's response listener <- action's response
 * </pre>
 *
 * {@link dev.weir.rest.RestExchange} is one request on this path. It keeps the thread context in
 * which OpenSearch's classes find the request's headers and store the warnings of its response.
 *
 * <p>A large bulk may stream: {@code BulkSectionSplitter} finds the boundaries of items, {@code
 * StreamingBulkSession} executes the sections, and {@code StreamingBulkResponse} collects their
 * responses.
 */
@NullMarked
package dev.weir.rest;

import org.jspecify.annotations.NullMarked;
