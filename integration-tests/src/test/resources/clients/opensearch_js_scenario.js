// What an application does with opensearch-js, unmodified, against the URL in the first argument.
// Prints `scenario passed` and exits 0 when everything held.
'use strict'

const assert = require('node:assert').strict
const { Client, errors } = require('@opensearch-project/opensearch')

const INDEX = 'js-products'
const COLOURS = ['red', 'green', 'blue']
const client = new Client({ node: process.argv[2], compression: 'gzip', suggestCompression: true, maxRetries: 0 })

function documents (count) {
  return Array.from({ length: count }, (_, number) => ({ number, colour: COLOURS[number % 3] }))
}

async function write () {
  await client.indices.delete({ index: INDEX, ignore_unavailable: true })
  await client.indices.create({
    index: INDEX,
    body: {
      settings: { number_of_shards: 3, number_of_replicas: 1 },
      mappings: { properties: { number: { type: 'integer' }, colour: { type: 'keyword' } } }
    }
  })
  const dropped = []
  const told = await client.helpers.bulk({
    datasource: documents(1000),
    flushBytes: 5000,
    concurrency: 4,
    refreshOnCompletion: INDEX,
    onDocument: document => ({ index: { _index: INDEX, _id: String(document.number) } }),
    onDrop: document => dropped.push(document)
  })
  assert.deepEqual([told.total, told.successful, told.failed, dropped], [1000, 1000, 0, []])
  const again = await client.helpers.bulk({
    datasource: documents(3),
    onDocument: document => ({ create: { _index: INDEX, _id: String(document.number) } }),
    onDrop: ({ status, error }) => dropped.push([status, error.type])
  })
  assert.deepEqual([again.successful, again.failed], [0, 3])
  assert.deepEqual(dropped, Array(3).fill([409, 'version_conflict_engine_exception']))
}

async function read () {
  const { body: counted } = await client.count({ index: INDEX })
  assert.equal(counted.count, 1000)
  const { body: found, statusCode } = await client.search({
    index: INDEX,
    body: {
      query: { term: { colour: 'red' } },
      sort: [{ number: 'desc' }],
      size: 5,
      aggs: { colours: { terms: { field: 'colour' } } }
    }
  })
  assert.equal(statusCode, 200)
  assert.equal(found.hits.total.value, 334)
  assert.deepEqual(found.hits.hits.map(hit => hit._source.number), [999, 996, 993, 990, 987])
  assert.deepEqual(found.aggregations.colours.buckets, [{ key: 'red', doc_count: 334 }])
  const { body: both } = await client.msearch({
    body: [
      { index: INDEX }, { size: 0, query: { term: { colour: 'green' } } },
      { index: 'js-nowhere' }, { query: { match_all: {} } }
    ]
  })
  assert.deepEqual(both.responses.map(answer => answer.status), [200, 404])
  const { body: document } = await client.get({ index: INDEX, id: '7' })
  assert.deepEqual(document._source, { number: 7, colour: 'green' })
  assert.equal((await client.exists({ index: INDEX, id: 'nothing' })).body, false)
}

async function help () {
  const seen = new Set()
  for await (const document of client.helpers.scrollDocuments({ index: INDEX, size: 100 })) {
    seen.add(document.number)
  }
  assert.equal(seen.size, 1000)
  let pages = 0
  for await (const page of client.helpers.scrollSearch({ index: INDEX, size: 400, body: { sort: ['number'] } })) {
    pages++
    if (pages === 2) {
      await page.clear()
    }
  }
  assert.equal(pages, 2)
  const searches = client.helpers.msearch({ operations: 5, flushInterval: 50 })
  const answers = await Promise.all(COLOURS.map(colour =>
    searches.search({ index: INDEX }, { size: 0, query: { term: { colour } } })))
  searches.stop()
  assert.deepEqual(answers.map(({ body }) => body.hits.total.value), [334, 333, 333])
}

async function ask () {
  const { body: trimmed } = await client.search(
    { index: INDEX, body: { sort: [{ number: 'desc' }], size: 2 } },
    { querystring: { trim: 'shards,max-score,index,score,sort' } })
  assert.deepEqual(Object.keys(trimmed), ['took', 'timed_out', 'hits'])
  assert.deepEqual(trimmed.hits.hits, [
    { _id: '999', _source: { number: 999, colour: 'red' } },
    { _id: '998', _source: { number: 998, colour: 'blue' } }
  ])
  const { body: sampled } = await client.search(
    { index: INDEX, body: { size: 0 } }, { querystring: { sample: 1 } })
  assert.deepEqual(sampled._sampling.hits.total, { lower: 1000, upper: 1000 })
}

async function fail () {
  const failures = [
    [() => client.get({ index: INDEX, id: 'nothing' }), 404, undefined],
    [() => client.search({ index: 'js-nowhere' }), 404, 'index_not_found_exception'],
    [() => client.search({ index: INDEX, body: { query: { no_such_query: {} } } }), 400, 'parsing_exception'],
    [() => client.create({ index: INDEX, id: '7', body: {} }), 409, 'version_conflict_engine_exception'],
    [() => client.search({ index: INDEX }, { querystring: { trim: 'nothing' } }), 400, 'illegal_argument_exception']
  ]
  for (const [call, status, type] of failures) {
    await assert.rejects(call, error => {
      assert(error instanceof errors.ResponseError, error)
      assert.deepEqual([error.statusCode, error.body.error?.type], [status, type])
      return true
    })
  }
  await client.update({ index: INDEX, id: '7', body: { doc: { colour: 'violet' } } })
  const { body: deleted } = await client.delete({ index: INDEX, id: '8', refresh: true })
  assert.equal(deleted.result, 'deleted')
}

async function scenario () {
  assert.equal((await client.ping()).body, true)
  await write()
  await read()
  await help()
  await ask()
  await fail()
  await client.indices.delete({ index: INDEX })
  await client.close()
  console.log('scenario passed')
}

scenario().catch(error => {
  console.error(error, error.meta?.body)
  process.exit(1)
})
