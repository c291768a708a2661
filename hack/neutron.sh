#!/usr/bin/env bash
# Tests the Neutron backend of the network controller with a real neutron-server: hack/neutron.sh [filter…]; filters add tests
#
# neutron-server is installed from PyPI into target/neutron and started on loopback with SQLite, without authentication and agents, so
# that networks and subnets are only rows of its database. NEUTRON_VERSION selects another release, NEUTRON_URL a running
# server. `hack/neutron.sh --serve` only starts the server, and waits. If it cannot be installed, the script exits with code 3 (skipped).
set -euo pipefail
# shellcheck source=hack/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"

dir=${NEUTRON_DIR:-$PWD/target/neutron}
version=${NEUTRON_VERSION:-29.0.0}
port=${NEUTRON_PORT:-9696}

install_neutron() {
	[[ -e $dir/installed-$version ]] && return
	command -v python3 >/dev/null || skip "no python3 for neutron-server"
	python3 -m venv "$dir/venv"
	"$dir/venv/bin/pip" install --quiet "neutron==$version" uwsgi || skip "neutron-server cannot be installed from PyPI"
	touch "$dir/installed-$version"
}

configure() {
	mkdir -p "$dir/state"
	cat >"$dir/neutron.conf" <<-CONF
		[DEFAULT]
		auth_strategy = noauth
		core_plugin = ml2
		service_plugins =
		state_path = $dir/state
		api_paste_config = $dir/venv/etc/neutron/api-paste.ini
		transport_url = fake://
		notify_nova_on_port_status_changes = false
		notify_nova_on_port_data_changes = false
		dhcp_agents_per_network = 0
		[database]
		connection = sqlite:///$dir/state/neutron.sqlite
		[oslo_concurrency]
		lock_path = $dir/state/lock
		[quotas]
		quota_network = -1
		quota_subnet = -1
		[ml2]
		type_drivers = local
		tenant_network_types = local
		mechanism_drivers =
		extension_drivers =
	CONF
	rm -f "$dir/state/neutron.sqlite"
}

serve() {
	# Neutron's migrations do not support SQLite, so the tables are created from its models.
	"$dir/venv/bin/python" - "$dir/neutron.conf" >"$dir/tables.log" 2>&1 <<-'PYTHON'
		import sys
		from neutron.common import config
		from neutron.conf import common as _
		from oslo_config import cfg
		config.register_common_config_options()
		config.init(["--config-file", sys.argv[1]])
		from neutron.db.migration.models import head
		from neutron_lib.db import api, model_base
		with api.CONTEXT_WRITER.using(__import__("neutron_lib.context").context.get_admin_context()) as session:
		    model_base.BASEV2.metadata.create_all(session.get_bind())
	PYTHON
	OS_NEUTRON_CONFIG_FILES=$dir/neutron.conf "$dir/venv/bin/uwsgi" --http11-socket "127.0.0.1:$port" --master --processes 1 --threads 4 --enable-threads --die-on-term \
		--virtualenv "$dir/venv" --module neutron.wsgi.api:application >"$dir/server.log" 2>&1 &
	server=$!
	trap 'kill "$server" 2>/dev/null || true; wait "$server" 2>/dev/null || true' EXIT
	for _ in $(seq 120); do
		if curl -fsS -o /dev/null "http://127.0.0.1:$port/v2.0/networks" 2>/dev/null; then return; fi
		kill -0 "$server" 2>/dev/null || break
		sleep 1
	done
	echo "neutron: the server does not respond; $dir/tables.log and $dir/server.log end with:" >&2
	tail -n 15 "$dir/tables.log" "$dir/server.log" >&2
	exit 1
}

if [[ -z ${NEUTRON_URL:-} ]]; then
	install_neutron
	configure
	serve
	export NEUTRON_URL=http://127.0.0.1:$port
fi
if [[ ${1:-} == --serve ]]; then
	echo "neutron-server $version answers at $NEUTRON_URL"
	wait
else
	# SQLite supports one writer, so run one test at a time.
	cargo test --locked -p network-controller --test network -- --test-threads=1 neutron "$@"
fi
