"""Makes the certificates of the TLS tests: an authority, a server that it vouches for, and an authority of somebody else.

python3 -m venv v && v/bin/pip install cryptography && v/bin/python make.py
"""

import datetime
import ipaddress

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec


def certificate(name, key, issuer, issuer_key, extension):
    builder = x509.CertificateBuilder()
    builder = builder.subject_name(name).issuer_name(issuer)
    builder = builder.public_key(key.public_key()).serial_number(x509.random_serial_number())
    builder = builder.not_valid_before(datetime.datetime(2020, 1, 1))
    builder = builder.not_valid_after(datetime.datetime(2120, 1, 1))
    is_authority = issuer == name
    builder = builder.add_extension(x509.BasicConstraints(is_authority, None), critical=True)
    builder = builder.add_extension(*extension)
    return builder.sign(issuer_key, hashes.SHA256())


def named(name):
    return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])


def authority(name):
    key = ec.generate_private_key(ec.SECP256R1())
    usage = dict.fromkeys(
        ["digital_signature", "content_commitment", "key_encipherment", "data_encipherment"]
        + ["key_agreement", "crl_sign", "encipher_only", "decipher_only"],
        False,
    )
    usage = x509.KeyUsage(key_cert_sign=True, **usage)
    return key, certificate(named(name), key, named(name), key, (usage, True))


def write(file, certificate):
    with open(file, "wb") as out:
        out.write(certificate.public_bytes(serialization.Encoding.PEM))


ca_key, ca = authority("test authority")
write("ca.pem", ca)
write("other-ca.pem", authority("somebody else's authority")[1])
server_key = ec.generate_private_key(ec.SECP256R1())
address = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
write("server.pem", certificate(named("server"), server_key, ca.subject, ca_key, (address, False)))
with open("server.key", "wb") as out:
    out.write(
        server_key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
