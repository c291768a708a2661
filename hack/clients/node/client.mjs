// Checks Node's `@kubernetes/client-node` against the server of KUBECONFIG. Each check prints one line, which hack/clients.sh counts.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  ADD, ApiException, AppsV1Api, CoreV1Api, DELETE, KubeConfig, KubernetesObjectApi, makeInformer, PatchStrategy,
  setHeaderOptions, UPDATE, Watch,
} from '@kubernetes/client-node';

const namespace = 'node';
const config = new KubeConfig();
config.loadFromDefault();
const core = config.makeApiClient(CoreV1Api);

// Runs a check and prints `ok NAME`, or `fail NAME` with the error, which is not thrown further.
async function check(name, body) {
  try {
    await Promise.race([
      body(),
      sleep(10_000, null, { ref: false }).then(() => { throw new Error('no answer in 10 s'); }),
    ]);
    console.log(`ok\t${name}`);
  } catch (error) {
    console.error(error);
    console.log(`fail\t${name}\t${String(error.message ?? error).replace(/\s+/g, ' ').slice(0, 200)}`);
  }
}

const configMap = (name, value) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data: { key: value } });
const hasStatus = (code) => (error) => error instanceof ApiException && error.code === code;

// Waits until `condition` holds, limited by the timeout of the check.
async function until(condition) {
  while (!condition()) await sleep(20);
}

async function objects() {
  await check('create a namespace', () => core.createNamespace({ body: { metadata: { name: namespace } } }));
  await check('create config maps', async () => {
    for (const name of ['a', 'b', 'c']) {
      const created = await core.createNamespacedConfigMap({ namespace, body: configMap(name, '1') });
      assert.deepEqual(created.data, { key: '1' });
    }
  });
  await check('create what exists: 409', () => assert.rejects(
    core.createNamespacedConfigMap({ namespace, body: configMap('a', '1') }), hasStatus(409)));
  await check('get what does not exist: 404', () => assert.rejects(
    core.readNamespacedConfigMap({ namespace, name: 'none' }), hasStatus(404)));
  await check('list by field selector', async () => {
    const found = await core.listNamespacedConfigMap({ namespace, fieldSelector: 'metadata.name=b' });
    assert.deepEqual(found.items.map((item) => item.metadata.name), ['b']);
  });
  await check('list in pages', async () => {
    const names = [];
    let _continue;
    do {
      const page = await core.listNamespacedConfigMap({ namespace, limit: 1, _continue });
      names.push(...page.items.map((item) => item.metadata.name));
      _continue = page.metadata._continue;
    } while (_continue);
    assert.deepEqual(names.filter((name) => name.length === 1), ['a', 'b', 'c']);
  });
  await check('merge patch', async () => {
    const patched = await core.patchNamespacedConfigMap(
      { namespace, name: 'b', body: { data: { more: '2' } } },
      setHeaderOptions('Content-Type', PatchStrategy.MergePatch));
    assert.deepEqual(patched.data, { key: '1', more: '2' });
  });
  await check('replace', async () => {
    const current = await core.readNamespacedConfigMap({ namespace, name: 'b' });
    const replaced = await core.replaceNamespacedConfigMap({ namespace, name: 'b', body: { ...current, data: { key: '3' } } });
    assert.deepEqual(replaced.data, { key: '3' });
  });
  await check('create a deployment, with defaults', async () => {
    const labels = { app: 'a' };
    const created = await config.makeApiClient(AppsV1Api).createNamespacedDeployment({ namespace, body: {
      metadata: { name: 'a' },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'registry.example/app:1' }] } },
      },
    } });
    assert.equal(created.spec.replicas, 1);
    assert.ok(created.metadata.creationTimestamp instanceof Date);
  });
}

async function untyped() {
  const client = KubernetesObjectApi.makeApiClient(config);
  await check('untyped client: discover and apply', async () => {
    const applied = await client.patch(
      configMap('applied', '1'), undefined, undefined, 'node', true, PatchStrategy.ServerSideApply);
    assert.equal(applied.metadata.managedFields[0].operation, 'Apply');
  });
  await check('untyped client: list', async () => {
    const found = await client.list('v1', 'ConfigMap', namespace);
    assert.ok(found.items.some((item) => item.metadata.name === 'applied'));
  });
}

// Changes the object `name`. Both kinds of watches must see it.
async function change(name) {
  await core.createNamespacedConfigMap({ namespace, body: configMap(name, '1') });
  await core.replaceNamespacedConfigMap({ namespace, name, body: configMap(name, '2') });
  await core.deleteNamespacedConfigMap({ namespace, name });
}

async function watches() {
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  await check("watch from a list's version", async () => {
    const { metadata: { resourceVersion } } = await core.listNamespacedConfigMap({ namespace });
    const seen = [];
    let ended;
    const abort = await new Watch(config).watch(
      path, { resourceVersion }, (type, object) => seen.push([type, object.data.key]), (error) => { ended = error; });
    await change('watched');
    await until(() => seen.length >= 3 || ended);
    abort.abort();
    assert.deepEqual(seen, [['ADDED', '1'], ['MODIFIED', '2'], ['DELETED', '2']]);
  });
  await check('informer', async () => {
    const informer = makeInformer(config, path, () => core.listNamespacedConfigMap({ namespace }));
    const seen = [];
    for (const event of [ADD, UPDATE, DELETE]) {
      informer.on(event, (object) => { if (object.metadata.name === 'informed') seen.push([event, object.data.key]); });
    }
    await informer.start();
    await change('informed');
    await until(() => seen.length >= 3);
    const listed = informer.list().map((item) => item.metadata.name).sort();
    await informer.stop();
    assert.deepEqual(seen, [['add', '1'], ['update', '2'], ['delete', '2']]);
    assert.ok(listed.includes('a') && !listed.includes('informed'));
  });
}

await objects();
await untyped();
await watches();
await check('delete a collection', async () => {
  await core.deleteCollectionNamespacedConfigMap({ namespace, fieldSelector: 'metadata.name!=kube-root-ca.crt' });
  const left = await core.listNamespacedConfigMap({ namespace });
  assert.deepEqual(left.items.map((item) => item.metadata.name), ['kube-root-ca.crt']);
});
